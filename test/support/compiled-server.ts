// The server as users run it: the compiled build, in a process of its own, on a home of the caller's choice.
import { spawnSync } from 'node:child_process';
import Sqlite from 'better-sqlite3';
import { existsSync, readdirSync, statSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startServerChild, type ServerChild } from './server-child.js';

export const PROJECT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
export const ENTRY = join(PROJECT, 'dist', 'src', 'cli', 'main.js');
const LOCK = join(PROJECT, 'node_modules', '.build-lock.sqlite');
/** Longer than any build. */
const LOCK_MS = 300_000;

export interface StartOptions {
  home: string;
  /** SWITCHBOARD_* variables beyond home and port. */
  env?: Record<string, string>;
  /** Flags for Node itself. */
  nodeFlags?: readonly string[];
  timeoutMs?: number;
}

/** The flags of Node that `npm start` uses. */
function startFlags(): string[] {
  const { scripts } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as { scripts: { start: string } };
  return scripts.start.split(' ').filter((word) => word.startsWith('--'));
}

/** Starts the compiled server on a free port of 127.0.0.1. Call `ensureBuilt` first. */
export function startSwitchboard(options: StartOptions): Promise<ServerChild> {
  return startServerChild([...startFlags(), ...(options.nodeFlags ?? []), ENTRY, 'start'], {
    cwd: PROJECT,
    env: {
      SWITCHBOARD_HOME: options.home,
      SWITCHBOARD_HOST: '127.0.0.1',
      SWITCHBOARD_PORT: '0',
      SWITCHBOARD_LOG_LEVEL: 'warn',
      ...options.env,
    },
    timeoutMs: options.timeoutMs,
  });
}

/** Builds `dist/` when it is missing or older than the sources. Safe for several processes at once. */
export function ensureBuilt(): void {
  if (!stale()) return;
  const release = lock();
  try {
    if (!stale()) return;
    const tsc = join(PROJECT, 'node_modules', 'typescript', 'bin', 'tsc');
    const result = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: PROJECT, encoding: 'utf8' });
    if (result.status !== 0) throw new Error(`the build failed:\n${result.stdout}${result.stderr}`);
  } finally {
    release();
  }
}

function stale(): boolean {
  if (!existsSync(ENTRY)) return true;
  const built = statSync(ENTRY).mtimeMs;
  const newest = (path: string): number =>
    statSync(path).isDirectory()
      ? Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))))
      : statSync(path).mtimeMs;
  return ['src', 'plugins', 'tsconfig.json', 'tsconfig.build.json'].some((path) => newest(join(PROJECT, path)) > built);
}

/** Waits for whoever builds now. The lock is the operating system's, so it ends with its holder. */
function lock(): () => void {
  const db = new Sqlite(LOCK, { timeout: LOCK_MS });
  db.exec('BEGIN EXCLUSIVE');
  return () => void db.close();
}
