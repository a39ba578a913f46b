// Gives each look that nobody waits for a moment of its own, so that watches whose time comes at once, after a start or a
// standstill above all, ask one after the other. Moments count from the last one that was really given.
import type { Clock } from '../../../src/clock.js';
import { gapMs } from './ladder.js';

export class Pace {
  private readonly waiting = new Set<() => void>();
  private freeAt = 0;
  private ticking = false;

  constructor(
    private readonly clock: Clock,
    /** How many watches share the moments. */
    private readonly watches: () => number,
  ) {}

  /** Takes the present moment, if it is free and nobody waits for it. */
  takeNow(): boolean {
    const now = this.clock.now();
    if (this.msToWait() > 0 || this.waiting.size > 0) return false;
    this.freeAt = now + gapMs(this.watches());
    return true;
  }

  /** Calls `fn` in a moment of its own, in the order of asking; the returned function cancels. */
  next(fn: () => void): () => void {
    this.waiting.add(fn);
    this.tick();
    return () => this.waiting.delete(fn);
  }

  private tick(): void {
    if (this.ticking || this.waiting.size === 0) return;
    this.ticking = true;
    this.clock.after(this.msToWait(), () => {
      this.ticking = false;
      const [fn] = this.waiting;
      if (!fn) return;
      this.waiting.delete(fn);
      this.freeAt = this.clock.now() + gapMs(this.watches());
      this.tick();
      fn();
    });
  }

  /** Never longer than a gap: the clock may have been set back. */
  private msToWait(): number {
    return Math.min(Math.max(0, this.freeAt - this.clock.now()), gapMs(this.watches()));
  }
}
