// How many files a folder holds and how many bytes: counted once, then kept up with what is added here, and counted anew
// when its list of names changed behind our back.
import { lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

interface FolderCount {
  files: number;
  bytes: number;
}

interface Counted extends FolderCount {
  /** The folder's time of change when the count was right. */
  stamp: bigint;
  /** Milliseconds since the epoch. */
  at: number;
}

export class FolderUse {
  private readonly counted = new Map<string, Counted>();

  /** `notBefore`: a count older than this moment (ms) is made anew, for what happened deeper down. */
  of(folder: string, now: number, notBefore = -Infinity): FolderCount {
    const known = this.counted.get(folder);
    if (known && known.stamp === stampOf(folder) && known.at >= notBefore) return known;
    // The stamp first: what changes while counting makes the count stale.
    const counted = { stamp: stampOf(folder), at: now, ...countBelow(folder) };
    this.counted.set(folder, counted);
    return counted;
  }

  /** A file of this size was made directly in the folder. */
  added(folder: string, bytes: number): void {
    const known = this.counted.get(folder);
    if (!known) return;
    known.files += 1;
    known.bytes += bytes;
    known.stamp = stampOf(folder);
  }
}

const stampOf = (folder: string): bigint => statSync(folder, { bigint: true }).mtimeNs;

function countBelow(folder: string): FolderCount {
  const total = { files: 0, bytes: 0 };
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const below = entry.isDirectory() ? countBelow(path) : { files: 1, bytes: sizeOf(path) };
    total.files += below.files;
    total.bytes += below.bytes;
  }
  return total;
}

function sizeOf(path: string): number {
  return lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
