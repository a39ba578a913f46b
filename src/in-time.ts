// Waits for somebody else's promise, but not for ever.
import type { Clock } from './clock.js';

/** Rejects with an Error that says `what` when the time is up; what comes later is dropped. */
export function inTime<T>(clock: Clock, ms: number, what: string, work: () => T | Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => reject(new Error(`${what} did not finish within ${ms / 1000} s`)));
    (async () => work())().then(resolve, reject).finally(cancel);
  });
}
