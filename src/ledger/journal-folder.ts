// What the writer and the reader of a scope's journal share: where it is and how a segment goes away.
import { join } from 'node:path';
import type { Disk, Durability } from '../disk.js';
import type { Failpoint } from '../failpoints.js';
import type { Logger } from '../log.js';

export interface JournalFolder {
  disk: Disk;
  /** The scope's folder; the segments are in `<dir>/journal/`. */
  dir: string;
  durability: Durability;
  /** Puts the checkpoints written so far on the medium, and those of `also`; nothing to do without `power`. */
  checkpoints: { sync(also?: Iterable<string>): Promise<void> };
  /** Told of every write. */
  grew?(bytes: number): void;
  log: Logger;
}

export const journalPath = (dir: string): string => join(dir, 'journal');

/**
 * Removes a segment. With `power` its removal is on the medium before the next one goes, so that a segment never
 * outlives a later one that says how much of it counts.
 */
export async function removeSegment(
  { disk, dir, durability }: JournalFolder,
  name: string,
  points: { before: Failpoint; after: Failpoint },
): Promise<void> {
  disk.failpoints.hit(points.before);
  disk.unlink(join(journalPath(dir), name));
  disk.failpoints.hit(points.after);
  if (durability === 'power') await disk.syncFolder(journalPath(dir));
}
