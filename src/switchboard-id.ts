// The lasting id of a home, made at its first start; hop chains carry only hashes of it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMissing } from './errors.js';
import type { NewId } from './clock.js';
import { dataDir } from './home.js';
import { closeToOthers, makePrivateFolder, writePrivateFile } from './private-files.js';

/** Reads `data/switchboard.id`, or makes it. */
export function ensureSwitchboardId(home: string, newId: NewId): string {
  const file = join(dataDir(home), 'switchboard.id');
  try {
    const id = readFileSync(file, 'utf8').trim();
    closeToOthers(file, 0o600);
    if (id !== '') return id;
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  const id = newId();
  makePrivateFolder(dataDir(home));
  writePrivateFile(file, `${id}\n`);
  return id;
}
