// One writer of a file at a time, within this process and among processes: a queue per path, and a lock file beside it
// that a crash can't leave in the way for good.
import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { AppError, isMissing, systemCode } from '../errors.js';

/** How long (ms) another process may hold the lock before the wait is given up. */
const WAIT_MS = 3_000;
const RETRY_MS = 15;
/** A rewrite takes milliseconds; an older lock belongs to nobody. */
const STALE_MS = 10_000;

const queues = new Map<string, Promise<unknown>>();

interface HeldLock {
  /** Throws when another process took the lock for stale and now holds it. Ask right before the write counts. */
  assertHeld(): void;
}

/**
 * Runs `work` while nobody else who uses this function holds the lock of `path`; callers wait in order. Throws
 * `storage-failed` when another process keeps the lock for `waitMs`. Waits in real time: the other side is a process.
 */
export async function withFileLock<T>(
  path: string,
  work: (lock: HeldLock) => T | Promise<T>,
  waitMs = WAIT_MS,
): Promise<T> {
  const turn = (queues.get(path) ?? Promise.resolve()).then(() => locked(path, work, waitMs));
  const settled = turn.then(
    () => {},
    () => {},
  );
  queues.set(path, settled);
  try {
    return await turn;
  } finally {
    if (queues.get(path) === settled) queues.delete(path);
  }
}

async function locked<T>(path: string, work: (lock: HeldLock) => T | Promise<T>, waitMs: number): Promise<T> {
  const file = `${path}.lock`;
  const mine = `${process.pid} ${hostname()} ${randomUUID()}\n`;
  const giveUpAt = performance.now() + waitMs;
  while (!acquire(file, mine)) {
    if (performance.now() >= giveUpAt)
      throw new AppError('storage-failed', 'The file is being changed by another process; try again.');
    await pause(RETRY_MS);
  }
  try {
    return await work({
      assertHeld() {
        if (contentOf(file) !== mine)
          throw new AppError('storage-failed', 'The file was changed by another process; try again.');
      },
    });
  } finally {
    if (contentOf(file) === mine) rmSync(file, { force: true });
  }
}

function acquire(file: string, mine: string): boolean {
  if (create(file, mine)) return true;
  const holder = contentOf(file);
  if (holder === undefined || !isStale(file, holder)) return false;
  breakLock(file, holder);
  return create(file, mine);
}

function create(file: string, mine: string): boolean {
  try {
    writeFileSync(file, mine, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}

function isStale(file: string, holder: string): boolean {
  const age = Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
  if (age > STALE_MS) return true;
  const [pid, host] = holder.split(' ');
  if (host !== hostname() || !/^[1-9]\d*$/.test(pid ?? '')) return false;
  // Within this process the queue decides, so a lock with our own pid is from an earlier life (pids repeat in
  // containers).
  if (Number(pid) === process.pid) return true;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return systemCode(error) === 'ESRCH';
  }
}

/** Moves a stale lock away. If a new one was taken in between, it is put back. */
function breakLock(file: string, stale: string): void {
  const aside = `${file}.${randomUUID()}`;
  try {
    renameSync(file, aside);
    if (contentOf(aside) !== stale) linkSync(aside, file);
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT') return;
    if (code !== 'EEXIST') throw error;
  }
  unlinkSync(aside);
}

function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
