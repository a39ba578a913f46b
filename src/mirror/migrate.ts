// Numbered migrations, append only. The database keeps a ledger of what was applied; one that is newer than this version,
// or whose history differs from the files, is refused and never used.
import type { Database } from 'better-sqlite3';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../errors.js';

export interface Migration {
  number: number;
  /** File name, e.g. `0001_tasks.sql`. */
  name: string;
  sql: string;
  sha256: string;
}

/** How a migration begins that adds what only a look at all files can fill. */
const FROM_FILES = '-- Made from all files:';

/** The mirror lacks something that only the files can tell: a new one is to be made in its place. */
export class OutdatedMirror extends Error {}

const FILE_NAME = /^(\d{4})_[a-z0-9-]+\.sql$/;
const LEDGER = `CREATE TABLE IF NOT EXISTS schema_migrations (
  number INTEGER PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT`;

/** The migrations of a folder by number. Throws AppError `config` when they are not 1, 2, 3 … without gap. */
export function readMigrations(folder: string): Migration[] {
  const names = readdirSync(folder).filter((name) => FILE_NAME.test(name));
  return names.sort().map((name, index) => {
    const number = Number(name.slice(0, 4));
    if (number !== index + 1) throw new AppError('config', `Migration ${name} is out of sequence.`);
    // A checkout may have turned the line ends; that changes nothing.
    const sql = readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n');
    return { number, name, sql, sha256: createHash('sha256').update(sql).digest('hex') };
  });
}

/**
 * Brings the database up to the last migration, each in its own transaction. Returns the number of the last one it had
 * before, 0 for an empty database. Throws AppError `config` when the database is newer, or when an applied migration is not
 * the one known here, and OutdatedMirror, with nothing changed, when it must be made anew.
 */
export function migrate(db: Database, migrations: readonly Migration[], now: number): number {
  db.exec(LEDGER);
  const applied = db
    .prepare<[], Omit<Migration, 'sql'>>('SELECT number, name, sha256 FROM schema_migrations ORDER BY number')
    .all();
  const newest = applied.at(-1)?.number ?? 0;
  if (newest > migrations.length) {
    const known = `this version knows schema ${migrations.length}`;
    const way = 'Use the newer version, or delete the file: it is made anew from the others';
    throw new AppError('config', `${db.name} has schema ${newest}, ${known}. ${way}.`);
  }
  for (const old of applied) {
    if (migrations[old.number - 1]?.sha256 !== old.sha256) {
      throw new AppError('config', `Migration ${old.name} was changed after it was applied to ${db.name}.`);
    }
  }
  const record = db.prepare('INSERT INTO schema_migrations VALUES (?, ?, ?, ?)');
  const missing = migrations.slice(newest);
  if (newest > 0 && missing.some(({ sql }) => sql.startsWith(FROM_FILES))) throw new OutdatedMirror();
  for (const { number, name, sql, sha256 } of missing) {
    db.transaction(() => {
      db.exec(sql);
      record.run(number, name, sha256, now);
    }).immediate();
  }
  return newest;
}
