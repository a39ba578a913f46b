// What the server keeps for itself is nobody else's, under any umask and after any earlier version.
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../../src/log.js';
import { createSwitchboard } from '../../src/main.js';

let home: string;
let umask: number;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'switchboard-modes-'));
  umask = process.umask(0);
});
afterEach(() => {
  process.umask(umask);
  rmSync(home, { recursive: true, force: true });
});

/** Paths below the home that somebody else may open, with their modes. */
function openPaths(path: string): string[] {
  const stat = statSync(path);
  const mode = stat.mode & 0o777;
  const inside = stat.isDirectory() ? readdirSync(path).flatMap((name) => openPaths(join(path, name))) : [];
  return mode & 0o077 ? [`${path} ${mode.toString(8)}`, ...inside] : inside;
}

async function run(look: () => void): Promise<void> {
  const switchboard = await createSwitchboard({ config: { home, port: 0 }, log: silentLogger() });
  try {
    await switchboard.start();
    look();
  } finally {
    await switchboard.stop();
  }
}

it('makes data/ and everything in it for its owner alone, while it runs and afterwards', async () => {
  const data = join(home, 'data');
  await run(() => {
    expect(readdirSync(data)).toEqual(expect.arrayContaining(['mirror.sqlite', 'mirror.sqlite-wal', 'home.lock']));
    expect(openPaths(data)).toEqual([]);
  });
  expect(openPaths(data)).toEqual([]);
});

it('closes what an earlier version left open', async () => {
  const data = join(home, 'data');
  await run(() => undefined);
  chmodSync(data, 0o755);
  for (const name of ['mirror.sqlite', 'home.lock', 'switchboard.id']) chmodSync(join(data, name), 0o644);
  await run(() => expect(openPaths(data)).toEqual([]));
});

it('leaves the rest of the home to the operator', async () => {
  mkdirSync(join(home, 'workspaces'), { mode: 0o755 });
  writeFileSync(join(home, 'notes.txt'), 'mine', { mode: 0o644 });
  await run(() => undefined);
  expect(statSync(join(home, 'workspaces')).mode & 0o777).toBe(0o755);
  expect(statSync(join(home, 'notes.txt')).mode & 0o777).toBe(0o644);
});
