// A wait that can be cut short from outside, and that remembers a wake that came while nobody waited.
import type { Clock } from '../../../src/clock.js';

export class Pause {
  private woken = false;
  private ended = false;
  private readonly listeners = new Set<() => void>();

  constructor(private readonly clock: Pick<Clock, 'after'>) {}

  /** Waits for the shortest of these times, or until somebody wakes it. */
  async wait(...ms: number[]): Promise<void> {
    if (this.woken || this.ended) {
      this.woken = false;
      return;
    }
    await new Promise<void>((resolve) => {
      const stopListening = this.onWake(() => {
        this.woken = false;
        done();
      });
      const cancel = this.clock.after(Math.max(0, Math.min(...ms)), () => done());
      const done = (): void => {
        stopListening();
        cancel();
        resolve();
      };
    });
  }

  /** Calls back at the next wake; the returned function takes that back. */
  onWake(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  wake(): void {
    this.woken = true;
    for (const listener of [...this.listeners]) listener();
  }

  /** No wait takes any time from now on. */
  end(): void {
    this.ended = true;
    this.wake();
  }
}
