// Where the bench puts its homes. On ext4, making files is ten times slower for minutes where many files were deleted
// just before (the file system avoids their inodes): a new folder is taken only where that is not so, and the price of a
// new file there is told with the figures.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from '../support/compiled-server.js';

const ROOT = join(PROJECT, '.bench', 'homes');
const CANDIDATES = 12;
const PROBES = 500;
/** An undisturbed ext4 takes 20 to 60 µs for a small new file. */
const QUIET_MICROS = 80;

export interface FreshFolder {
  path: string;
  /** What making one small file costs there, microseconds. */
  microsPerFile: number;
}

/** A new folder below `.bench/homes`; the best of a dozen candidates when none is undisturbed. */
export function freshFolder(): FreshFolder {
  mkdirSync(ROOT, { recursive: true });
  spreadSubfolders(ROOT);
  let best: FreshFolder | undefined;
  for (let i = 0; i < CANDIDATES; i++) {
    const path = mkdtempSync(join(ROOT, 'run-'));
    const candidate = { path, microsPerFile: priceOfAFile(path) };
    if (best === undefined || candidate.microsPerFile < best.microsPerFile) best = candidate;
    if (best.microsPerFile <= QUIET_MICROS) break;
  }
  return best as FreshFolder;
}

/** Removes all folders that were given out. Only for the end of a run: deleting is what makes the next files slow. */
export function removeFolders(): void {
  rmSync(ROOT, { recursive: true, force: true });
}

/** Asks ext4 to place each folder elsewhere on the disk. Other file systems do not know the attribute: no harm. */
function spreadSubfolders(folder: string): void {
  try {
    execFileSync('chattr', ['+T', folder], { stdio: 'ignore' });
  } catch {
    // The candidates are probed either way.
  }
}

function priceOfAFile(folder: string): number {
  const probes = join(folder, 'probes');
  mkdirSync(probes);
  const begun = performance.now();
  for (let i = 0; i < PROBES; i++) writeFileSync(join(probes, String(i)), 'x');
  return ((performance.now() - begun) * 1000) / PROBES;
}
