// A peer that ignores the wish for an immediate return answers when the work is over. Its list tells earlier which task
// that is, so that what it shows meanwhile can be followed.
import type { Clock } from '../../../src/clock.js';
import type { RemoteRef } from '../../../src/ledger/records.js';
import { findByMessage } from '../../../src/remote/find-by-message.js';
import type { Peer, SendResult } from '../../../src/remote/remote-port.js';

/** Between two looks at the list, the last one again and again. */
const LOOKS_MS = [15_000, 30_000, 60_000, 300_000];

interface Waiting {
  messageId: string;
  remote: RemoteRef | undefined;
  /** Aborts when the turn is over: then only the answer counts. */
  signal: AbortSignal;
  clock: Pick<Clock, 'after'>;
}

/** The answer, or the task that the message began. An answer that comes after the task was found is not looked at. */
export async function answerOrTask(
  sending: Promise<SendResult>,
  peer: Peer,
  { messageId, remote, signal, clock }: Waiting,
): Promise<SendResult> {
  for (let look = 0; !signal.aborted && peer.offers.list; look++) {
    const answer = await within(sending, LOOKS_MS[Math.min(look, LOOKS_MS.length - 1)] as number, clock);
    if (answer) return answer;
    const task = await findByMessage(peer, messageId, remote?.contextId, { signal }).catch(() => undefined);
    if (!task) continue;
    sending.catch(() => undefined);
    return { task };
  }
  return sending;
}

/** Undefined when it takes longer. */
async function within<T>(work: Promise<T>, ms: number, clock: Pick<Clock, 'after'>): Promise<T | undefined> {
  let cancel: () => void = () => undefined;
  const late = new Promise<undefined>((resolve) => (cancel = clock.after(ms, () => resolve(undefined))));
  try {
    return await Promise.race([work, late]);
  } finally {
    cancel();
  }
}
