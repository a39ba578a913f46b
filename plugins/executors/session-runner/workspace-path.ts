// Where a path of a session leads: inside the workspace by its letters and after symlinks, and never into `.a2a/`, where
// keys and other callers' conversations are, however its name is spelt.
import { realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { systemCode } from '../../../src/errors.js';

export interface Place {
  /** The workspace's folder, without links. */
  root: string;
  /** Absolute, without links. */
  path: string;
  /** Relative to the root; empty for the root itself. */
  inside: string;
}

/** `reason` completes "it …" and names no path outside the workspace. */
export type NoPlace = { kind: 'missing' } | { kind: 'refused'; reason: string };

export const OUTSIDE = { kind: 'refused', reason: 'lies outside the workspace' } as const;
const PRIVATE = { kind: 'refused', reason: "belongs to the switchboard's own files" } as const;

/** What is there now under this path, links followed. Never throws. */
export function locate(directory: string, path: string): Place | NoPlace {
  try {
    const root = realpathSync(directory);
    const refused = refusedByLetters(root, path);
    if (refused) return refused;
    return placeOf(root, realpathSync(resolve(root, path)));
  } catch (error) {
    return problemOf(error);
  }
}

/** What speaks against a path before anything is looked up. */
export function refusedByLetters(root: string, path: string): NoPlace | undefined {
  if (path.includes('\0')) return { kind: 'missing' };
  const wanted = resolve(root, path);
  if (isOutside(root, wanted)) return OUTSIDE;
  return isPrivateName(firstOf(root, wanted)) ? PRIVATE : undefined;
}

/** `path` has no links in it. Throws what the file system throws. */
export function placeOf(root: string, path: string): Place | NoPlace {
  if (isOutside(root, path)) return OUTSIDE;
  if (isPrivateName(firstOf(root, path)) || isBelowPrivateFolder(root, path)) return PRIVATE;
  return { root, path, inside: relative(root, path) };
}

export function problemOf(error: unknown): NoPlace {
  const code = systemCode(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' };
  return { kind: 'refused', reason: `can't be used (${code ?? 'unknown error'})` };
}

export const isPlace = (place: Place | NoPlace): place is Place => 'path' in place;

/**
 * One spelling of a name, since some file systems take several for the same file: letters of any width and case, characters
 * that can't be seen, trailing dots and spaces, streams after a colon.
 */
export const plainName = (name: string): string =>
  name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    .replace(/:.*$/s, '')
    .replace(/[. ]+$/, '');

/** `a2a~1` is how DOS calls it. */
const isPrivateName = (name: string): boolean => /^(\.a2a|a2a~\d+)$/.test(plainName(name));

const firstOf = (root: string, path: string): string => relative(root, path).split(sep)[0] ?? '';

/** By what the folder is instead of how it is called; it may itself be a link to another place in the workspace. */
function isBelowPrivateFolder(root: string, path: string): boolean {
  const own = statSync(join(root, '.a2a'), { throwIfNoEntry: false });
  if (!own) return false;
  for (let at = path; at !== root && !isOutside(root, at); at = dirname(at)) {
    const stat = statSync(at, { throwIfNoEntry: false });
    if (stat && stat.ino === own.ino && stat.dev === own.dev) return true;
  }
  return false;
}

function isOutside(root: string, target: string): boolean {
  const path = relative(root, target);
  return path === '..' || path.startsWith(`..${sep}`) || resolve(root, path) !== target;
}
