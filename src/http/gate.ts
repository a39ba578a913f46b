// Whether the server takes requests at all: not while it stops, and not while it can't keep up. Asked before anything
// else, since it must cost least when there is least to spend.
import { AppError } from '../errors.js';
import type { LagSource } from './loop-lag.js';

/** Seconds after which a client that was sent away may come back. */
const RETRY_AFTER = 2;

export class Gate {
  private stopping = false;

  constructor(private readonly options: { lag: LagSource; overloadMs: number }) {}

  get draining(): boolean {
    return this.stopping;
  }

  /** From now on nobody is let in. */
  drain(): void {
    this.stopping = true;
  }

  /** Why nobody is let in now, if so. */
  closed(): { rule: 'drain' | 'overload'; error: AppError } | undefined {
    const retryAfter = RETRY_AFTER;
    if (this.stopping) {
      return { rule: 'drain', error: new AppError('overloaded', 'The switchboard is stopping.', { retryAfter }) };
    }
    const { lag, overloadMs } = this.options;
    if (lag.lateMs() < overloadMs) return undefined;
    return { rule: 'overload', error: new AppError('overloaded', 'The switchboard is overloaded.', { retryAfter }) };
  }
}
