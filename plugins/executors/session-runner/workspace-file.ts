// Reads files of a workspace for a session: confined to the folder after symlinks are followed, regular files only, and
// never anything below `.a2a/`, where keys and other callers' conversations are.
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';

export type FileRead =
  | { kind: 'read'; bytes: Buffer; size: number }
  | { kind: 'missing' }
  /** `reason` completes "it …" and names no path outside the workspace. */
  | { kind: 'refused'; reason: string };

/** At most `maxBytes` from the start of the file; `size` is the whole file's. Never throws. */
export function readWorkspaceFile(directory: string, path: string, maxBytes: number): FileRead {
  if (path.includes('\0')) return { kind: 'missing' };
  try {
    const root = realpathSync(directory);
    const target = realpathSync(resolve(root, path));
    if (isOutside(root, target) || isOutside(root, resolve(root, path))) {
      return { kind: 'refused', reason: 'lies outside the workspace' };
    }
    if (relative(root, target).split(sep)[0]?.toLowerCase() === '.a2a') {
      return { kind: 'refused', reason: "belongs to the switchboard's own files" };
    }
    return readRegular(join(root, relative(root, target)), maxBytes);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' };
    return { kind: 'refused', reason: `can't be read (${code ?? 'unknown error'})` };
  }
}

function readRegular(path: string, maxBytes: number): FileRead {
  // Without O_NONBLOCK a named pipe would hang the process; O_NOFOLLOW closes the gap since the path was resolved.
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) return { kind: 'refused', reason: 'is no regular file' };
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

function isOutside(root: string, target: string): boolean {
  const path = relative(root, target);
  return path === '..' || path.startsWith(`..${sep}`) || resolve(root, path) !== target;
}
