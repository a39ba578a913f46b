// Work that is due a little later and done in slices, so that the event loop is never held for long.
import type { Clock } from '../clock.js';
import { errorText } from '../errors.js';
import type { Logger } from '../log.js';

const RETRY_MS = 1_000;

interface SweepOptions {
  clock: Clock;
  log: Logger;
  /** For the log, when a step fails. */
  name: string;
  /** Milliseconds between the first `due` and the first step. */
  waitMs: number;
  /** Does one slice; true when more is left. May throw: it is then tried again a second later. */
  step(): boolean;
}

export class Sweep {
  private scheduled = false;
  private stopped = false;

  constructor(private readonly options: SweepOptions) {}

  /** There is something to do, now or after the wait. */
  due(): void {
    if (!this.scheduled) this.after(this.options.waitMs);
  }

  stop(): void {
    this.stopped = true;
  }

  private after(ms: number): void {
    this.scheduled = true;
    this.options.clock.after(ms, () => this.run());
  }

  private run(): void {
    this.scheduled = false;
    if (this.stopped) return;
    try {
      if (!this.options.step()) return;
    } catch (error) {
      this.options.log.error({ sweep: this.options.name, reason: errorText(error) }, 'writing failed; trying again');
      return this.after(RETRY_MS);
    }
    this.scheduled = true;
    setImmediate(() => this.run());
  }
}
