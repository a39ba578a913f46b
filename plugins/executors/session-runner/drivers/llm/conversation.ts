// What a model is told of the conversation so far, within a budget. The rule: whole turns, the newest first, as long as
// they fit. A turn that doesn't fit is tried without its tool calls and their results, which always go together; the
// newest turn, whose question may just have been answered, is then cut to fit; older ones are left out, and all before
// them. Pure, but for `add`.
import type { ModelMessage } from 'ai';

/** One exchange: what was said to the assistant, and all that it did about it, oldest first. */
export interface PastTurn {
  said: string;
  messages: readonly ModelMessage[];
  /** The assistant's words alone. */
  answered: string;
}

const NOTHING_SAID = '[no answer was given]';
const CUT = '\n[…]\n';
/** A turn is not cut to less than this many tokens: crumbs mislead. */
const LEAST = 200;

/** A turn as text only, e.g. one that failed or was told of by the transcript. */
export function plainTurn(said: string, answered: string): PastTurn {
  const content = answered.trim() === '' ? NOTHING_SAID : answered;
  return { said, answered: content, messages: [{ role: 'assistant', content }] };
}

/** Roughly the tokens of a text: four bytes of UTF-8 each. */
export const tokensOf = (text: string): number => Math.ceil(Buffer.byteLength(text) / 4);

const sizeOf = (turn: PastTurn): number =>
  tokensOf(turn.said) + turn.messages.reduce((sum, message) => sum + tokensOf(JSON.stringify(message.content)), 0);

export class Conversation {
  private turns: PastTurn[];

  /** `budget` is in tokens, see `tokensOf`. */
  constructor(
    private readonly budget: number,
    past: readonly PastTurn[] = [],
  ) {
    this.turns = fit(past, budget);
  }

  /** What no later turn could be told of is forgotten here. */
  add(turn: PastTurn): void {
    this.turns = fit([...this.turns, turn], this.budget);
  }

  /** Ends with the assistant's words, so that the next message follows. */
  messages(): ModelMessage[] {
    return this.turns.flatMap(({ said, messages }) => [{ role: 'user', content: said } as ModelMessage, ...messages]);
  }
}

function fit(turns: readonly PastTurn[], budget: number): PastTurn[] {
  const kept: PastTurn[] = [];
  let left = budget;
  for (const turn of turns.toReversed()) {
    const fitting = fitTurn(turn, left, kept.length === 0);
    if (!fitting) break;
    kept.unshift(fitting);
    left -= sizeOf(fitting);
  }
  return kept;
}

function fitTurn(turn: PastTurn, left: number, newest: boolean): PastTurn | undefined {
  if (sizeOf(turn) <= left) return turn;
  const plain = plainTurn(turn.said, turn.answered);
  if (sizeOf(plain) <= left) return plain;
  if (!newest || left < LEAST) return undefined;
  // Quotes and escapes of the other half's JSON need room too.
  const half = Math.floor(left / 2) - 8;
  return plainTurn(cut(turn.said, half), cut(plain.answered, half));
}

/** Beginning and end of a text, at most so many tokens, never half a character. */
function cut(text: string, tokens: number): string {
  if (tokensOf(JSON.stringify(text)) <= tokens) return text;
  // JSON needs up to six bytes for a control character; with one token per character any text fits.
  const dense = tokensOf(JSON.stringify(text)) / text.length;
  const characters = Math.max(0, Math.floor(tokens / Math.max(dense, 0.25)) - CUT.length);
  const half = Math.floor(characters / 2);
  const end = half === 0 ? '' : text.slice(-half);
  return `${text.slice(0, half).replace(/[\uD800-\uDBFF]$/, '')}${CUT}${end.replace(/^[\uDC00-\uDFFF]/, '')}`;
}
