// Goes through the folders of a workspace without following links and without holding up others, up to a limit.
import { lstatSync } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { isPlace, placeOf, type Place } from '../workspace-path.js';
import type { FileToolUse } from './file-tool.js';

export interface Found {
  place: Place;
  kind: 'file' | 'folder' | 'link' | 'other';
}

/** Entries that are looked at in one go, folders deep. */
const MAX_ENTRIES = 20_000;
const MAX_DEPTH = 30;
const AT_ONCE = 200;
/** Large, and nobody's words. */
const SKIPPED = new Set(['.git', 'node_modules']);

/** What may be read below a folder; sorted within each folder. Ends early when the signal aborts. */
export async function* walk(start: Place, deep: boolean, { access, signal }: FileToolUse): AsyncGenerator<Found> {
  const folders = [{ place: start, depth: 0 }];
  let seen = 0;
  for (let folder = folders.shift(); folder && !signal.aborted; folder = folders.shift()) {
    for (const name of await namesOf(folder.place.path, MAX_ENTRIES - seen)) {
      if (++seen % AT_ONCE === 0) await new Promise((resolve) => setImmediate(resolve));
      if (signal.aborted) return;
      const found = entry(folder.place, name);
      if (!found || access.mayRead(found.place) !== undefined) continue;
      yield found;
      if (deep && found.kind === 'folder' && folder.depth < MAX_DEPTH && !SKIPPED.has(name))
        folders.push({ place: found.place, depth: folder.depth + 1 });
    }
  }
}

async function namesOf(path: string, most: number): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const { name } of await opendir(path)) if (names.push(name) >= most) break;
  } catch {
    // Gone meanwhile, or not ours to read.
  }
  return names.sort();
}

function entry(folder: Place, name: string): Found | undefined {
  const path = join(folder.path, name);
  const stat = lstatSync(path, { throwIfNoEntry: false });
  const place = stat && placeOf(folder.root, path);
  if (!place || !isPlace(place)) return undefined;
  if (stat.isSymbolicLink()) return { place, kind: 'link' };
  return { place, kind: stat.isDirectory() ? 'folder' : stat.isFile() ? 'file' : 'other' };
}
