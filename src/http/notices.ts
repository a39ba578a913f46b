// Which notices are due: each name's once in a while, so that whoever asks a thousand times a second fills no log.
import type { Clock } from '../clock.js';

const PERIOD_MS = 60_000;

export class Notices {
  /** When each name was last due, oldest first. */
  private readonly last = new Map<string, number>();

  constructor(
    private readonly clock: Pick<Clock, 'now'>,
    private readonly capacity = 10_000,
  ) {}

  /** True once per name and minute. The name that was due longest ago is forgotten beyond `capacity`. */
  due(name: string): boolean {
    const now = this.clock.now();
    const last = this.last.get(name);
    // Whichever way: the clock may have been set back.
    if (last !== undefined && Math.abs(now - last) < PERIOD_MS) return false;
    this.last.delete(name);
    this.last.set(name, now);
    if (this.last.size > this.capacity) this.last.delete(this.last.keys().next().value as string);
    return true;
  }
}
