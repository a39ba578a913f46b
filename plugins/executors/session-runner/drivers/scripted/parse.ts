// The grammar of scripted directives: `directive; directive; …`. Pure. A text is a script only if every segment is a
// directive; half a script is plain text.
import { parseJson } from '../../../../../src/read-json.js';

export type Directive =
  | { do: 'say'; text: string }
  | { do: 'stream'; count: number }
  | { do: 'tool'; name: string }
  | { do: 'ask'; question: string }
  | { do: 'auth'; question: string }
  | { do: 'file'; name: string; text: string }
  | { do: 'data'; data: unknown }
  | { do: 'notify'; text: string }
  | { do: 'call'; agent: string; text: string }
  | { do: 'wait'; ms: number }
  | { do: 'fail'; text: string }
  | { do: 'crash' };

/** Bounds on what one message can cause. */
const MAX_DIRECTIVES = 100;
const MAX_DELTAS = 10_000;
const MAX_WAIT_MS = 86_400_000;
const MAX_DATA_DEPTH = 100;

/** Per directive: its argument, trimmed, to the directive; undefined when it does not fit. */
const DIRECTIVES: Record<Directive['do'], (rest: string) => Directive | undefined> = {
  say: (text) => (text ? { do: 'say', text } : undefined),
  stream: (rest) => {
    const count = wholeNumber(rest, MAX_DELTAS);
    return count ? { do: 'stream', count } : undefined;
  },
  tool: (name) => (/^\S{1,100}$/.test(name) ? { do: 'tool', name } : undefined),
  ask: (question) => (question ? { do: 'ask', question } : undefined),
  auth: (question) => (question ? { do: 'auth', question } : undefined),
  file: (rest) => {
    const [name, text] = firstWord(rest);
    return name && text ? { do: 'file', name, text } : undefined;
  },
  data: (json) => {
    const data = exactJson(json);
    return data === undefined ? undefined : { do: 'data', data };
  },
  notify: (text) => (text ? { do: 'notify', text } : undefined),
  call: (rest) => {
    const [agent, text] = firstWord(rest);
    return agent && text ? { do: 'call', agent, text } : undefined;
  },
  wait: (rest) => {
    const ms = wholeNumber(rest, MAX_WAIT_MS);
    return ms === undefined ? undefined : { do: 'wait', ms };
  },
  fail: (text) => (text ? { do: 'fail', text } : undefined),
  crash: (rest) => (rest ? undefined : { do: 'crash' }),
};

/** The directives of a text, or undefined when it is not a script. Takes time linear in the text's length. */
export function parseDirectives(text: string): Directive[] | undefined {
  const directives: Directive[] = [];
  const name = /\s*([a-z]*)/y;
  for (let at = 0; at <= text.length;) {
    // Looking at the name first lets ordinary text leave at once, however long it is.
    name.lastIndex = at;
    const word = name.exec(text)?.[1] ?? '';
    if (!Object.hasOwn(DIRECTIVES, word) || directives.length === MAX_DIRECTIVES) return undefined;
    const start = name.lastIndex;
    const end = word === 'data' ? endOfData(text, start) : endOfSegment(text, start);
    const rest = text.slice(start, end);
    if (rest && !/^\s/.test(rest)) return undefined;
    const directive = DIRECTIVES[word as Directive['do']](rest.trim());
    if (!directive) return undefined;
    directives.push(directive);
    at = end + 1;
  }
  return directives;
}

function endOfSegment(text: string, from: number): number {
  const end = text.indexOf(';', from);
  return end === -1 ? text.length : end;
}

/** Like `endOfSegment`, but a semicolon inside a JSON string is part of the data. */
function endOfData(text: string, from: number): number {
  let quoted = false;
  for (let at = from; at < text.length; at++) {
    const char = text[at];
    if (quoted && char === '\\') at++;
    else if (char === '"') quoted = !quoted;
    else if (char === ';' && !quoted) return at;
  }
  return text.length;
}

function firstWord(text: string): [string, string] {
  const end = text.search(/\s/);
  return end === -1 ? [text, ''] : [text.slice(0, end), text.slice(end).trim()];
}

function wholeNumber(text: string, max: number): number | undefined {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : max + 1;
  return value <= max ? value : undefined;
}

/** A JSON value that survives being stored: numbers are kept exactly and the depth is bounded, or it is refused. */
function exactJson(json: string): unknown {
  const value = parseJson(json);
  return value !== undefined && isExact(value, MAX_DATA_DEPTH) ? value : undefined;
}

function isExact(value: unknown, depth: number): boolean {
  if (typeof value === 'number')
    return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((member) => isExact(member, depth - 1));
}
