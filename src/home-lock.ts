// One process per home. The lock is the operating system's, so it ends with the process; the pid beside it is only a hint
// for whoever is refused.
import { readFileSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import pRetry from 'p-retry';
import { AppError } from './errors.js';
import { dataDir } from './home.js';
import { lockFile } from './mirror/exclusive-file.js';
import { makePrivateFile, makePrivateFolder, writePrivateFile } from './private-files.js';

interface HomeLock {
  /** Frees the home; further calls do nothing. */
  release(): void;
}

const PAUSE_MS = 50;

/**
 * Locks a home for this process, trying for up to `waitMs` milliseconds (default: once). Throws AppError `locked` when
 * someone else has it, another lock of this process included.
 */
export async function lockHome(home: string, { waitMs = 0 }: { waitMs?: number } = {}): Promise<HomeLock> {
  const data = dataDir(home);
  makePrivateFolder(data);
  return pRetry(() => takeLock(home, data), {
    retries: Math.ceil(waitMs / PAUSE_MS),
    factor: 1,
    minTimeout: PAUSE_MS,
    shouldRetry: ({ error }) => error instanceof AppError && error.code === 'locked',
  });
}

function takeLock(home: string, data: string): HomeLock {
  const pidFile = join(data, 'home.pid');
  const lock = join(data, 'home.lock');
  makePrivateFile(lock);
  const unlock = lockFile(lock);
  if (!unlock)
    throw new AppError(
      'locked',
      `Another switchboard runs on ${basename(resolve(home))}${holder(pidFile)}: stop it first, or use another home.`,
    );
  writePrivateFile(pidFile, `${process.pid}\n`);
  let held = true;
  return {
    release() {
      if (!held) return;
      held = false;
      rmSync(pidFile, { force: true });
      unlock();
    },
  };
}

function holder(pidFile: string): string {
  try {
    const pid = readFileSync(pidFile, 'utf8').trim();
    return /^\d+$/.test(pid) ? ` (process ${pid})` : '';
  } catch {
    return '';
  }
}
