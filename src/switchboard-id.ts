// The lasting id of a home, made at its first start; hop chains carry only hashes of it.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { NewId } from './clock.js';
import { dataDir } from './home.js';

/** Reads `data/switchboard.id`, or makes it. */
export function ensureSwitchboardId(home: string, newId: NewId): string {
  const file = join(dataDir(home), 'switchboard.id');
  try {
    const id = readFileSync(file, 'utf8').trim();
    if (id !== '') return id;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const id = newId();
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${id}\n`, { mode: 0o600 });
  return id;
}
