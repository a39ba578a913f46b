// A clock that only the test moves. Timers fire in order when time passes them.
import type { Clock } from '../../src/clock.js';

export class FakeClock implements Clock {
  private time: number;
  private timers: { at: number; fn: () => void }[] = [];

  constructor(start = Date.parse('2026-01-01T00:00:00.000Z')) {
    this.time = start;
  }

  now = (): number => this.time;

  after(ms: number, fn: () => void): () => void {
    const timer = { at: this.time + ms, fn };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((other) => other !== timer);
    };
  }

  /** Lets time pass and fires what became due, earliest first. */
  advance(ms: number): void {
    const until = this.time + ms;
    for (;;) {
      const next = this.timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.timers.splice(this.timers.indexOf(next), 1);
      this.time = Math.max(this.time, next.at);
      next.fn();
    }
    this.time = until;
  }

  /** As after a long sleep: what is due by then fires once, however often it would have come round meanwhile. */
  jump(ms: number): void {
    this.time += ms;
    const due = this.timers.filter(({ at }) => at <= this.time).sort((a, b) => a.at - b.at);
    this.timers = this.timers.filter((timer) => !due.includes(timer));
    for (const { fn } of due) fn();
  }

  /** As when the clock is corrected: its time changes, and timers run on. */
  setBack(ms: number): void {
    this.time -= ms;
    for (const timer of this.timers) timer.at -= ms;
  }

  get pending(): number {
    return this.timers.length;
  }
}
