// Writes files of a workspace for a session: a whole new file takes the place of the old one, or nothing changes. A crash
// in between leaves the old file, and at most a hidden `.….tmp` beside it.
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { randomUUID } from 'node:crypto';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { systemCode } from '../../../src/errors.js';
import { isStillAt } from './workspace-file.js';
import { isPlace, OUTSIDE, placeOf, problemOf, refusedByLetters, type NoPlace, type Place } from './workspace-path.js';

type FileWritten = { kind: 'written' } | NoPlace;

/** Folders on the way are made. `mayWrite` names what speaks against the place that was found. Never throws. */
export function writeWorkspaceFile(
  directory: string,
  path: string,
  bytes: Uint8Array,
  mayWrite: (place: Place) => string | undefined,
): FileWritten {
  try {
    const root = realpathSync(directory);
    const wanted = resolve(root, path);
    const refused = refusedByLetters(root, path);
    if (refused) return refused;
    if (wanted === root) return { kind: 'refused', reason: 'is a folder' };
    const place = placeForWriting(root, wanted, mayWrite);
    if (!isPlace(place)) return place;
    return replace(place.path, bytes);
  } catch (error) {
    return problemOf(error);
  }
}

/** Where the bytes belong: behind a link its target, else the path itself, whose folders are made on the way. */
function placeForWriting(
  root: string,
  wanted: string,
  mayWrite: (place: Place) => string | undefined,
): Place | NoPlace {
  const allowed = (place: Place | NoPlace): Place | NoPlace => {
    const reason = isPlace(place) ? mayWrite(place) : undefined;
    return reason === undefined ? place : { kind: 'refused', reason };
  };
  if (lstatSync(wanted, { throwIfNoEntry: false })) {
    // A link that leads nowhere is missing here: what it leads to may be anywhere.
    const place = allowed(placeOf(root, realpathSync(wanted)));
    if (!isPlace(place)) return place;
    const stat = statSync(place.path);
    return stat.isFile()
      ? place
      : { kind: 'refused', reason: stat.isDirectory() ? 'is a folder' : 'is no regular file' };
  }
  // Asked before folders are made; links on the way are followed one by one below.
  const first = allowed(placeOf(root, wanted));
  if (!isPlace(first)) return first;
  let folder = root;
  for (const name of relative(root, dirname(wanted)).split(sep).filter(Boolean)) {
    const next = join(folder, name);
    try {
      mkdirSync(next);
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
    }
    const place = placeOf(root, realpathSync(next));
    if (!isPlace(place)) return place;
    folder = place.path;
  }
  const path = join(folder, basename(wanted));
  // The folder may have been a link: then this is another place than was asked for, and something may be there.
  if (path !== wanted && lstatSync(path, { throwIfNoEntry: false })) return placeForWriting(root, path, mayWrite);
  return allowed(placeOf(root, path));
}

function replace(path: string, bytes: Uint8Array): FileWritten {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const draft = join(dirname(path), `.${basename(path).slice(0, 100)}.${randomUUID().slice(0, 8)}.tmp`);
  const file = openSync(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666);
  try {
    // Had a folder been swapped for a link, the draft would be elsewhere, and empty.
    if (!isStillAt(draft, fstatSync(file))) throw new Swapped();
    const before = statSync(path, { throwIfNoEntry: false });
    if (before) fchmodSync(file, before.mode & 0o777);
    for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    if (error instanceof Swapped) return OUTSIDE;
    throw error;
  } finally {
    closeSync(file);
  }
  return { kind: 'written' };
}

class Swapped extends Error {}
