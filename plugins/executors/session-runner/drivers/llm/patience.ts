// How long a run may go without a sign of its endpoint. Time that tools take is not the endpoint's.
import type { Clock } from '../../../../../src/clock.js';

export class Patience {
  /** It ran out. */
  over = false;
  private tools = 0;
  private cancel: () => void = () => undefined;

  constructor(
    private readonly clock: Clock,
    private readonly ms: number,
    /** Called once, when it runs out. */
    private readonly giveUp: () => void,
  ) {
    this.alive();
  }

  /** Something came. */
  readonly alive = (): void => {
    this.cancel();
    if (this.tools > 0) return;
    this.cancel = this.clock.after(this.ms, () => {
      this.over = true;
      this.giveUp();
    });
  };

  /** Does not count the time until the work is done. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.tools += 1;
    this.cancel();
    try {
      return await work();
    } finally {
      this.tools -= 1;
      this.alive();
    }
  }

  end(): void {
    // Work that is still under way must not start it again.
    this.tools = Number.POSITIVE_INFINITY;
    this.cancel();
  }
}

/** Rejects as soon as the signal aborts, whatever becomes of the work. */
export async function orAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(new Error('aborted'));
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    const result = await Promise.race([work, aborted]);
    if (signal.aborted) throw new Error('aborted');
    return result;
  } finally {
    work.catch(() => undefined);
    signal.removeEventListener('abort', stop);
  }
}
