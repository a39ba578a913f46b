// What a home keeps for itself belongs to its owner alone: folders 0700, files 0600, whatever the umask says and whatever
// an earlier version left. Systems without such bits ignore them.
import { chmodSync, closeSync, mkdirSync, openSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { systemCode } from './errors.js';

const OTHERS = 0o077;

/** Makes the folder with its missing parents, or closes the one that is there. */
export function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  closeToOthers(path, 0o700);
}

/**
 * Makes an empty file for others to open, or closes the one that is there. An existing file is not opened: closing it
 * again would end the locks that this process has on it.
 */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'ax', 0o600));
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
    closeToOthers(path, 0o600);
  }
}

/** Readers see the old content or the whole new one. The folder must exist. */
export function writePrivateFile(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, text, { mode: 0o600 });
  chmodSync(temporary, 0o600);
  renameSync(temporary, path);
}

/** Does nothing for a missing file. What belongs to another user stays as it is; `doctor` tells. */
export function closeToOthers(path: string, mode: 0o600 | 0o700): void {
  if (!isOpenToOthers(path)) return;
  try {
    chmodSync(path, mode);
  } catch (error) {
    if (!['EPERM', 'ENOENT'].includes(systemCode(error) ?? '')) throw error;
  }
}

/** True when anybody but the owner may read, change or enter it. False for a missing file. */
export const isOpenToOthers = (path: string): boolean =>
  ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & OTHERS) !== 0;
