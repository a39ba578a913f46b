// One process per home, and nothing to clean up when that process dies.
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { lockHome } from '../src/home-lock.js';
import { packageRoot } from '../src/package-root.js';

let home = '';
let child: ChildProcess | undefined;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'home-'));
});
afterEach(() => {
  child?.kill('SIGKILL');
  child = undefined;
  rmSync(home, { recursive: true, force: true });
});

/** A process of its own that locks the home, says so, and then waits to be killed. */
async function lockElsewhere(): Promise<ChildProcess> {
  const lock = pathToFileURL(join(packageRoot(), 'src/home-lock.ts')).href;
  const code = `import { lockHome } from ${JSON.stringify(lock)};
    await lockHome(${JSON.stringify(home)}); console.log('locked'); setInterval(() => {}, 1000);`;
  child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', code], {
    cwd: packageRoot(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = (await once(child.stdout!, 'data')) as [Buffer];
  expect(said.toString()).toBe('locked\n');
  return child;
}

test('a second lock in the same process is refused until the first is released', async () => {
  const lock = await lockHome(home);
  await expect(lockHome(home)).rejects.toMatchObject({
    code: 'locked',
    message: `Another switchboard runs on ${basename(home)} (process ${process.pid}): stop it first, or use another home.`,
  });
  lock.release();
  lock.release();
  expect(existsSync(join(home, 'data', 'home.pid'))).toBe(false);
  (await lockHome(home)).release();
});

test('releasing an old lock again does not touch a newer one', async () => {
  const first = await lockHome(home);
  first.release();
  const second = await lockHome(home);
  first.release();
  await expect(lockHome(home)).rejects.toMatchObject({ code: 'locked' });
  second.release();
});

test('who waits gets the lock when it is released', async () => {
  const lock = await lockHome(home);
  const waiting = lockHome(home, { waitMs: 10_000 });
  lock.release();
  (await waiting).release();
});

test('another process is refused by pid, and its death by SIGKILL frees the home at once', async () => {
  const holder = await lockElsewhere();
  await expect(lockHome(home)).rejects.toMatchObject({
    code: 'locked',
    message: expect.stringContaining(`(process ${holder.pid})`),
  });
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  const lock = await lockHome(home);
  lock.release();
});
