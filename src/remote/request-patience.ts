// How long one request to a peer may take or be silent, by the injected clock, and why it was broken off.
import type { Clock } from '../clock.js';
import type { PeerFaults } from './peer-faults.js';
import type { RemoteError } from './remote-error.js';

export class RequestPatience {
  private readonly controller = new AbortController();
  private stop: () => void = () => undefined;
  private readonly stopWhole: () => void;
  private late: number | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly faults: PeerFaults,
    private readonly outer: AbortSignal | undefined,
    private readonly ms: number | undefined,
    /** For all of it, however much comes. */
    wholeMs?: number,
  ) {
    this.stopWhole = wholeMs === undefined ? () => undefined : clock.after(wholeMs, () => this.tooLate(wholeMs));
    outer?.addEventListener('abort', this.giveUp, { once: true });
    this.heard();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** The time counts anew. */
  heard(): void {
    this.stop();
    const { ms } = this;
    if (ms === undefined) return;
    this.stop = this.clock.after(ms, () => this.tooLate(ms));
  }

  pause(): void {
    this.stop();
  }

  end(): void {
    this.stop();
    this.stopWhole();
    this.outer?.removeEventListener('abort', this.giveUp);
    // Lets go of an answer that nobody reads to its end; does nothing to one that was.
    this.controller.abort();
  }

  /** Why it was broken off, if it was. */
  reason(): RemoteError | undefined {
    if (this.late !== undefined) return this.faults.timeout(this.late);
    return this.outer?.aborted ? this.faults.aborted() : undefined;
  }

  private tooLate(ms: number): void {
    this.late = ms;
    this.controller.abort();
  }

  private readonly giveUp = (): void => this.controller.abort();
}
