// Work that comes round again and again, little by little: after each step it rests for many times as long as the step
// took, so that it never shows in what callers wait for.
import type { Clock } from '../clock.js';
import { errorText } from '../errors.js';
import type { Logger } from '../log.js';

const FIRST_MS = 1_000;
const EVERY_MS = 5_000;
const REST_MS = 50;
/** One part work, this many parts rest. */
const REST_TIMES = 10;

interface RoundsOptions {
  clock: Clock;
  log: Logger;
  /** One round, in steps. What it throws ends this round; the next one starts as usual. */
  round(): AsyncGenerator<void>;
}

export class Rounds {
  private stopped = false;
  private running: Promise<void> | undefined;
  private wake: (() => void) | undefined;

  constructor(private readonly options: RoundsOptions) {}

  start(): void {
    this.after(FIRST_MS);
  }

  /** Resolves when the step under way, if there is one, has ended; none follows. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.wake?.();
    await this.running;
  }

  private after(ms: number): void {
    this.options.clock.after(ms, () => {
      if (this.stopped) return;
      this.running = this.run().finally(() => {
        this.running = undefined;
        if (!this.stopped) this.after(EVERY_MS);
      });
    });
  }

  private async run(): Promise<void> {
    try {
      const steps = this.options.round();
      for (;;) {
        const begun = performance.now();
        const { done } = await steps.next();
        if (done || this.stopped) return;
        await this.rest(Math.max(REST_MS, REST_TIMES * (performance.now() - begun)));
        if (this.stopped) return;
      }
    } catch (error) {
      this.options.log.error({ reason: errorText(error) }, 'a round of tidying up failed');
    }
  }

  private rest(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.options.clock.after(ms, resolve);
      this.wake = () => {
        cancel();
        resolve();
      };
    });
  }
}
