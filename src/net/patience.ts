// How long one request may take, and why it was broken off.
import type { Clock } from '../clock.js';
import { asFetchError, FetchError } from './fetch-error.js';

export class Patience {
  private readonly controller = new AbortController();
  private readonly stop: () => void;
  private late = false;

  constructor(
    clock: Pick<Clock, 'after'>,
    ms: number,
    private readonly outer: AbortSignal | undefined,
  ) {
    this.stop = clock.after(ms, () => {
      this.late = true;
      this.controller.abort();
    });
    outer?.addEventListener('abort', this.giveUp, { once: true });
    if (outer?.aborted) this.giveUp();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  end(): void {
    this.stop();
    this.outer?.removeEventListener('abort', this.giveUp);
  }

  /** Ends it and says why the request failed. */
  explain(error: unknown): FetchError {
    this.end();
    if (this.late) return new FetchError('timeout', undefined, { cause: error });
    if (this.outer?.aborted) return new FetchError('aborted', undefined, { cause: error });
    return asFetchError(error);
  }

  private readonly giveUp = (): void => this.controller.abort();
}
