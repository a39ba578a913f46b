// Waiting for something that may never come, in bounded time.
import type { Clock } from '../../../../../src/clock.js';

interface Patience {
  clock: Clock;
  ms: number;
  /** Ends the wait. */
  signal?: AbortSignal;
}

/** True when the promise settled before the time was up and before `signal` aborted. Never rejects. */
export function settlesInTime(promise: Promise<unknown>, { clock, ms, signal }: Patience): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve(false);
    const no = (): void => done(false);
    const cancel = clock.after(ms, no);
    const done = (settled: boolean): void => {
      cancel();
      signal?.removeEventListener('abort', no);
      resolve(settled);
    };
    signal?.addEventListener('abort', no, { once: true });
    const yes = (): void => done(true);
    promise.then(yes, yes);
  });
}
