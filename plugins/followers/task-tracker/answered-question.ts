// A question that was answered, as long as a slow peer may show it still: what is shown again is not asked again.
import { createHash } from 'node:crypto';
import { textOf } from '../../../src/a2a-model.js';
import type { AskedQuestion } from '../../../src/bus/parties.js';
import type { Ledger } from '../../../src/ledger/ledger-port.js';
import type { TaskRecord } from '../../../src/ledger/records.js';
import type { RemoteMessage, RemoteStatus } from '../../../src/remote/remote-port.js';

/** A peer whose questions have neither id nor time is believed after this long that it asks the same once more. */
const DOUBT_MS = 30_000;

/** What the status that ends turn `turn` with a question is known by. */
export function askedBy({ message, timestamp }: RemoteStatus, turn: number): AskedQuestion {
  return {
    turn,
    ...(message && message.messageId !== '' && { messageId: message.messageId }),
    ...(timestamp !== undefined && { timestamp }),
    words: hashOf(message),
  };
}

/** On record before the turn ends, so that whoever follows its answer knows it. */
export async function recordQuestion(
  ledger: Pick<Ledger, 'get' | 'watches'>,
  taskId: string,
  asked: AskedQuestion,
): Promise<void> {
  const remote = ledger.get(taskId)?.envelope.remote;
  if (remote) await ledger.watches.update(taskId, asked.turn, { remote: { ...remote, asked } });
}

export class AnsweredQuestion {
  /** The peer has done something since. */
  private wentOn = false;

  private constructor(
    private readonly asked: AskedQuestion,
    private readonly answer: { messageId: string; since: number },
  ) {}

  /** That of the turn before, when the turn that runs is its answer. */
  static of({ envelope }: Pick<TaskRecord, 'envelope'>): AnsweredQuestion | undefined {
    const { remote, watch, turn } = envelope;
    return remote?.asked && watch && remote.asked.turn < turn ? new AnsweredQuestion(remote.asked, watch) : undefined;
  }

  /** Another state than a question was shown. */
  goesOn(): void {
    this.wentOn = true;
  }

  /** The status that asks is the one that was answered. `history`: that of the same snapshot, if there is one. */
  isShownBy(status: RemoteStatus, history: readonly RemoteMessage[], now: number): boolean {
    const { asked } = this;
    const shown = askedBy(status, 0);
    const known = { ids: [asked.messageId, shown.messageId], times: [asked.timestamp, shown.timestamp] };
    const compared = (pair: (string | undefined)[]): boolean => !pair.includes(undefined);
    const equal = ([a, b]: (string | undefined)[]): boolean => a === b;
    if (compared(known.ids)) {
      const same = equal(known.ids) && shown.words === asked.words;
      return same && (compared(known.times) ? equal(known.times) : !this.wentOn);
    }
    // Some peers move the question into the history when the answer comes: the status is the same without it.
    const saysNoMore = status.message === undefined || shown.words === asked.words;
    if (!saysNoMore) return false;
    if (compared(known.times)) return equal(known.times);
    return !this.wentOn && !this.spokenSince(history) && now < this.answer.since + DOUBT_MS;
  }

  private spokenSince(history: readonly RemoteMessage[]): boolean {
    const at = history.findIndex(({ messageId }) => messageId === this.answer.messageId);
    return at >= 0 && history.slice(at).some(({ role }) => role === 'ROLE_AGENT');
  }
}

const hashOf = (message: RemoteMessage | undefined): string =>
  createHash('sha256')
    .update(textOf((message?.parts ?? []).flatMap((part) => ('text' in part ? [part] : []))).trim())
    .digest('hex');
