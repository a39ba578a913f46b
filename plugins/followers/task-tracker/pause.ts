// A wait that can be cut short from outside, and that remembers a wake that came while nobody waited.
import type { Clock } from '../../../src/clock.js';
import type { Pace } from './pace.js';

export class Pause {
  private woken = false;
  private ended = false;
  private readonly listeners = new Set<() => void>();

  constructor(
    private readonly clock: Pick<Clock, 'after'>,
    private readonly pace: Pace,
    /** False while somebody is expected to wait for what comes next. */
    private readonly isPaced: () => boolean,
  ) {}

  /**
   * Waits for the shortest of these times and then, if it is paced, for the next free moment; or until somebody wakes it:
   * who does that waits for what comes next.
   */
  async wait(...ms: number[]): Promise<void> {
    const passed = await this.passes((done) => this.clock.after(Math.max(0, Math.min(...ms)), done));
    if (passed && this.isPaced()) await this.moment();
  }

  /** Waits for the next free moment, or until somebody wakes it. */
  async moment(): Promise<void> {
    if (!this.pace.takeNow()) await this.passes((done) => this.pace.next(done));
  }

  /** Until what was begun calls back, which it does not at once. False when it was cut short. */
  private async passes(begin: (done: () => void) => () => void): Promise<boolean> {
    if (this.woken || this.ended) {
      this.woken = false;
      return false;
    }
    return new Promise<boolean>((resolve) => {
      const stopListening = this.onWake(() => {
        this.woken = false;
        done(false);
      });
      const cancel = begin(() => done(true));
      const done = (passed: boolean): void => {
        stopListening();
        cancel();
        resolve(passed);
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
