// Which notices are due: each name's once in a while, so that whoever asks a thousand times a second fills no log.
import type { Clock } from '../clock.js';
import { keepNewest } from '../keep-newest.js';

const PERIOD_MS = 60_000;
const MOST_NAMES = 10_000;

export class Notices {
  /** When each name was last due, oldest first. */
  private readonly last = new Map<string, number>();

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  /** True once per name and minute. Of too many names the one that was due longest ago is forgotten. */
  due(name: string): boolean {
    const now = this.clock.now();
    const last = this.last.get(name);
    if (last !== undefined && now - last < PERIOD_MS) return false;
    keepNewest(this.last, name, now, MOST_NAMES);
    return true;
  }
}
