// Whether writing works, and what is done until it does again.
import type { Clock } from '../clock.js';
import { errorText } from '../errors.js';
import type { Logger } from '../log.js';

const REPAIR_MS = 1_000;

interface StorageHealthOptions {
  clock: Clock;
  log: Logger;
  /** Writes something that was hurt by the failure; false when nothing was hurt. */
  mend(): boolean;
  /** Throws when writing does not work. */
  probe(): void;
}

export class StorageHealth {
  healthy = true;
  private repairing = false;
  private stopped = false;

  constructor(private readonly options: StorageHealthOptions) {}

  /** A write failed. Tries once a second until one succeeds. */
  failed(): void {
    this.healthy = false;
    if (this.repairing) return;
    this.repairing = true;
    this.options.clock.after(REPAIR_MS, () => this.tryAgain());
  }

  /** A write succeeded. */
  worked(): void {
    if (this.healthy) return;
    this.healthy = true;
    this.options.log.info('writing works again');
  }

  stop(): void {
    this.stopped = true;
  }

  private tryAgain(): void {
    this.repairing = false;
    // What mends something tells by itself how it went.
    if (this.stopped || this.options.mend()) return;
    try {
      this.options.probe();
      this.worked();
    } catch (error) {
      this.options.log.error({ reason: errorText(error) }, 'writing does not work');
      this.failed();
    }
  }
}
