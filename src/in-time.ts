// Waits for somebody else's promise, but not for ever.
import type { Clock } from './clock.js';

const ALIVE_MS = 60_000;

/** Rejects with an Error that says `what` when the time is up; what comes later is dropped. */
export function inTime<T>(clock: Clock, ms: number, what: string, work: () => T | Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    // The clock keeps no process alive, and before the server listens nothing else does: it would end here without a word.
    const alive = setInterval(() => undefined, ALIVE_MS);
    const over = (): void => {
      cancel();
      clearInterval(alive);
    };
    const cancel = clock.after(ms, () => {
      over();
      reject(new Error(`${what} did not finish within ${ms / 1000} s`));
    });
    (async () => work())().then(resolve, reject).finally(over);
  });
}
