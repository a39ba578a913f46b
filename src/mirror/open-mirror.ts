// Opens the mirror, or makes a new one where the file is missing or unusable. A newer schema is refused, not replaced.
import Sqlite, { type Database } from 'better-sqlite3';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import pRetry from 'p-retry';
import { systemClock, type Clock } from '../clock.js';
import { AppError, errorText } from '../errors.js';
import type { Logger } from '../log.js';
import { packageRoot } from '../package-root.js';
import { closeToOthers, makePrivateFile } from '../private-files.js';
import { BootMarker, currentBoot } from './boot-marker.js';
import { isListable } from './empty-tables.js';
import { migrate, OutdatedMirror, readMigrations, type Migration } from './migrate.js';
import type { Mirror } from './rows.js';
import { isBusy, sqliteCode } from './sqlite-code.js';
import { SqliteMirror } from './sqlite-mirror.js';

export interface MirrorOptions {
  /** Path of the database file; its folder is made when missing. */
  file: string;
  log: Pick<Logger, 'warn'>;
  migrationsDir?: string;
  clock?: Pick<Clock, 'now'>;
  /** Identity of the machine's current boot. */
  boot?: string;
}

/** How long a start waits for another process to let go of the file. */
const BUSY_WAIT_MS = 10_000;
const BUSY_PAUSE_MS = 50;
/** What SQLite may keep beside the database. */
const BESIDE = ['-wal', '-shm', '-journal'];

/**
 * As `openMirror`, and while another process holds the file, tries again for up to `waitMs` milliseconds. That it waits is
 * told once, as a warning.
 */
export async function openMirrorWhenFree(options: MirrorOptions, waitMs = BUSY_WAIT_MS): Promise<Mirror> {
  const isLocked = (error: unknown): boolean => error instanceof AppError && error.code === 'locked';
  return pRetry(() => openMirror(options), {
    retries: Math.ceil(waitMs / BUSY_PAUSE_MS),
    factor: 1,
    minTimeout: BUSY_PAUSE_MS,
    shouldRetry: ({ error }) => isLocked(error),
    onFailedAttempt: ({ error, attemptNumber }) => {
      if (attemptNumber > 1 || !isLocked(error)) return;
      options.log.warn(
        { file: options.file, seconds: waitMs / 1000 },
        'another process has locked the mirror; waiting',
      );
    },
  });
}

/**
 * Opens and migrates the mirror. Throws AppError `config` for a schema that this version must not touch, `locked` when
 * another process holds the file, and whatever the file system throws.
 */
export function openMirror(options: MirrorOptions): Mirror {
  const { file, log, migrationsDir = join(packageRoot(), 'migrations'), clock = systemClock } = options;
  const migrations = readMigrations(migrationsDir);
  const marker = new BootMarker(file, options.boot ?? currentBoot());
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  if (marker.leftByEarlierBoot()) {
    log.warn({ file: basename(file) }, 'the machine stopped while the mirror was open; making a new mirror');
    drop(file);
  }
  const unmark = marker.set();
  try {
    const opened = openOrReplace(file, () => connect(file, migrations, clock.now()), options);
    return new SqliteMirror({ ...opened, clock, onClosed: () => marker.clear() });
  } catch (error) {
    unmark();
    if (!isBusy(error)) throw error;
    const who = 'another process has locked it, e.g. a database tool or a backup';
    throw new AppError('locked', `${file} can't be opened: ${who}.`, {}, { cause: error });
  }
}

function openOrReplace(file: string, open: () => OpenFile, { log, clock = systemClock }: MirrorOptions): OpenFile {
  try {
    return open();
  } catch (error) {
    if (error instanceof UnfinishedRebuild || error instanceof OutdatedMirror) {
      drop(file);
      return open();
    }
    if (!isDamage(error)) throw unusable(file, error);
    const aside = `${file}.corrupt-${clock.now()}`;
    renameSync(file, aside);
    drop(file);
    log.warn({ file: basename(aside), reason: errorText(error) }, 'the mirror was unusable; making a new one');
    return open();
  }
}

interface OpenFile {
  db: Database;
  fresh: boolean;
}

function connect(file: string, migrations: readonly Migration[], now: number): OpenFile {
  // SQLite gives what it makes beside the database the database's own permissions.
  makePrivateFile(file);
  for (const suffix of BESIDE) closeToOthers(file + suffix, 0o600);
  const db = new Sqlite(file, { timeout: 0 });
  try {
    // One process per home, so the file is ours alone: no shared memory, no locking per statement.
    db.pragma('locking_mode = EXCLUSIVE');
    db.pragma('journal_mode = WAL');
    // Nothing is lost with the mirror. When the process dies, the kernel still has every page; when the machine does,
    // the boot marker has the mirror made anew. So no write waits for the disk.
    db.pragma('synchronous = OFF');
    // Room for the inner pages and the recent leaves of all indexes of some hundred thousand tasks.
    db.pragma('cache_size = -32768');
    // 16 MiB between checkpoints: a page that many transactions touch is then copied back once.
    db.pragma('wal_autocheckpoint = 4000');
    const fresh = migrate(db, migrations, now) === 0;
    probe(db);
    return { db, fresh };
  } catch (error) {
    db.close();
    throw error;
  }
}

class UnfinishedRebuild extends Error {}
class DamagedMirror extends Error {}

/** Finds a rebuild that was cut short, and by reading a whole index a cut-off file and counts that do not fit the rows. */
function probe(db: Database): void {
  if (!isListable(db)) throw new UnfinishedRebuild();
  const counted = db.prepare('SELECT (SELECT count(*) FROM tasks) = (SELECT total(n) FROM lane_counts)').pluck().get();
  if (counted !== 1) throw new DamagedMirror('counts and rows disagree');
}

/** What only the file's owner can mend is told with the file's name. */
function unusable(file: string, error: unknown): unknown {
  if (!/^SQLITE_(CANTOPEN|FULL|READONLY|IOERR|PERM)/.test(sqliteCode(error) ?? '')) return error;
  return new AppError('config', `${file} can't be used: ${errorText(error)}.`, {}, { cause: error });
}

function isDamage(error: unknown): boolean {
  if (error instanceof DamagedMirror) return true;
  // SQLITE_ERROR: a database, but not ours; its tables are in the way of the migrations.
  return /^SQLITE_(NOTADB|CORRUPT|ERROR)/.test(sqliteCode(error) ?? '');
}

/** Removes the database with what belongs to it: a write-ahead log must never meet another database file. */
function drop(file: string): void {
  for (const suffix of ['', ...BESIDE]) rmSync(file + suffix, { force: true });
}
