// How late the event loop is: one timer that asks when it was called. One late call is a hiccup (a collection of garbage,
// a large body); two in a row mean that more work comes than is done.
import type { Clock } from '../clock.js';

export interface LagSource {
  /** Milliseconds by which the loop has been late for at least two looks in a row; 0 while it keeps up. */
  lateMs(): number;
}

const EVERY_MS = 100;

export class LoopLag implements LagSource {
  private last = 0;
  private before = 0;
  private due: number;
  private cancel: (() => void) | undefined;

  constructor(
    private readonly clock: Pick<Clock, 'after'>,
    /** Monotonic, milliseconds. */
    private readonly now: () => number = () => performance.now(),
  ) {
    this.due = now() + EVERY_MS;
    this.look();
  }

  lateMs(): number {
    // The call that is due now counts already: it may wait behind the request that asks.
    const overdue = this.now() - this.due;
    return Math.max(Math.min(this.before, this.last), Math.min(this.last, overdue), 0);
  }

  stop(): void {
    this.cancel?.();
  }

  private look(): void {
    this.cancel = this.clock.after(EVERY_MS, () => {
      this.before = this.last;
      this.last = Math.max(0, this.now() - this.due);
      this.due = this.now() + EVERY_MS;
      this.look();
    });
  }
}
