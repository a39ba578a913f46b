// The system's clock, with a way to skip ahead: what was due in the skipped time happens at once, in order.
import { systemClock, type Clock } from '../../src/clock.js';

export class SkippingClock implements Clock {
  private skipped = 0;
  private readonly timers = new Map<() => void, { at: number; cancel: () => void }>();

  now = (): number => Date.now() + this.skipped;

  after(ms: number, fn: () => void): () => void {
    const fire = (): void => {
      stop();
      fn();
    };
    const stop = (): void => {
      this.timers.get(fire)?.cancel();
      this.timers.delete(fire);
    };
    this.timers.set(fire, { at: this.now() + ms, cancel: systemClock.after(ms, fire) });
    return stop;
  }

  skip(ms: number): void {
    this.skipped += ms;
    const due = [...this.timers].filter(([, { at }]) => at <= this.now());
    for (const [fire] of due.sort(([, a], [, b]) => a.at - b.at)) if (this.timers.has(fire)) fire();
  }
}
