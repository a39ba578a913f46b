// Reads files of a workspace for a session: regular files only, and only while the path leads where it was found to lead.
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, realpathSync, type Stats } from 'node:fs';
import { isPlace, locate, problemOf, type NoPlace } from './workspace-path.js';

type FileRead = { kind: 'read'; bytes: Buffer; size: number } | NoPlace;

interface ReadOptions {
  /**
   * Also a file with several names: one of them may be anywhere on the disk. Only for files that the owner chose, never
   * for a path that a model or a caller gave.
   */
  severalNames?: boolean;
}

/** At most `maxBytes` from the start of the file; `size` is the whole file's. Never throws. */
export function readWorkspaceFile(
  directory: string,
  path: string,
  maxBytes: number,
  options: ReadOptions = {},
): FileRead {
  const place = locate(directory, path);
  if (!isPlace(place)) return place;
  try {
    return readRegular(place.path, maxBytes, options);
  } catch (error) {
    return problemOf(error);
  }
}

function readRegular(path: string, maxBytes: number, { severalNames = false }: ReadOptions): FileRead {
  // Without O_NONBLOCK a named pipe would hang the process.
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) return { kind: 'refused', reason: 'is no regular file' };
    if (!severalNames && stat.nlink > 1) return { kind: 'refused', reason: 'has several names (hard links)' };
    if (!isStillAt(path, stat)) return { kind: 'refused', reason: 'was moved meanwhile' };
    const bytes = Buffer.alloc(Math.min(stat.size, maxBytes));
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(file, bytes, length, bytes.length - length, length);
    }
    return { kind: 'read', bytes: bytes.subarray(0, length), size: stat.size };
  } finally {
    closeSync(file);
  }
}

/** True when the open file is the one at this path, which has no link in it: a folder may have been swapped for one. */
export function isStillAt(path: string, open: Stats): boolean {
  const now = lstatSync(path, { throwIfNoEntry: false });
  return now !== undefined && now.ino === open.ino && now.dev === open.dev && realpathSync(path) === path;
}
