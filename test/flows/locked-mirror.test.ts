// Another process and the server at one database: a start waits for it and says so, and once the server runs it is the
// other one that has to wait.
import { afterEach, describe, expect, it } from '@jest/globals';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { settle } from '../../src/executors/settle.js';
import { mirrorFile } from '../../src/home.js';
import { createSwitchboard, type Switchboard } from '../../src/main.js';
import { openMirrorWhenFree } from '../../src/mirror/open-mirror.js';
import { silentLogger } from '../../src/log.js';
import { holdDatabase, type DatabaseHolder } from '../support/database-holder.js';
import { makeTestHome } from '../support/test-home.js';

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

async function hold(file: string, sql?: string): Promise<DatabaseHolder> {
  const holder = await holdDatabase(file, sql);
  cleanUp.push(() => holder.release());
  return holder;
}

function home() {
  const made = makeTestHome();
  cleanUp.push(() => made.remove());
  return { path: made.path, mirror: mirrorFile(made.path) };
}

type Line = Record<string, unknown>;

async function open(path: string, logged: (line: Line) => void = () => undefined): Promise<Switchboard> {
  const log = pino({ base: null }, { write: (line: string) => logged(JSON.parse(line) as Line) });
  const switchboard = await createSwitchboard({ config: { home: path, port: 0 }, log, env: {} });
  cleanUp.push(() => switchboard.stop());
  await switchboard.start();
  return switchboard;
}

/** One task, told to the demo workspace; resolves with its id once it is over. */
async function talk({ core }: Switchboard, messageId: string): Promise<string> {
  const { taskId } = await core.prompts.submit({
    agent: 'demo',
    caller: { id: 'operator', scope: 'operator' },
    message: { messageId, role: 'ROLE_USER', parts: [{ text: 'hello' }] },
    chain: [],
    surface: 'operator',
  });
  const { task } = await settle(taskId, { ledger: core.ledger, signal: new AbortController().signal });
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  return taskId;
}

const ids = ({ core }: Switchboard): string[] => core.ledger.list({ pageSize: 10 }).tasks.map(({ task }) => task.id);

describe('a database that another process has locked when the server starts', () => {
  it.each([
    ['to write to it', 'BEGIN EXCLUSIVE'],
    ['to read it', 'BEGIN; SELECT count(*) FROM tasks'],
  ])('%s: the start says which file it waits for, and goes on as soon as it is free', async (_why, sql) => {
    const { path, mirror } = home();
    const first = await open(path);
    const taskId = await talk(first, 'm1');
    await first.stop();

    const holder = await hold(mirror, sql);
    expect(holder.outcome).toBe('held');
    const waits: Line[] = [];
    const second = await open(path, (line) => {
      if (!/locked the mirror/.test(String(line['msg']))) return;
      waits.push(line);
      void holder.release();
    });
    expect(waits).toEqual([expect.objectContaining({ level: 40, file: mirror, seconds: 10 })]);
    expect(ids(second)).toEqual([taskId]);
    expect(readdirSync(join(path, 'data')).filter((name) => name.includes('corrupt'))).toEqual([]);
  });

  it('for too long: the start fails with the file named, and leaves it and the home as they were', async () => {
    const { path, mirror } = home();
    const first = await open(path);
    const taskId = await talk(first, 'm1');
    await first.stop();

    const holder = await hold(mirror);
    const opening = openMirrorWhenFree({ file: mirror, log: silentLogger() }, 120);
    await expect(opening).rejects.toMatchObject({
      code: 'locked',
      message: `${mirror} can't be opened: another process has locked it, e.g. a database tool or a backup.`,
    });
    expect(existsSync(`${mirror}.open`)).toBe(false);
    await holder.release();
    expect(ids(await open(path))).toEqual([taskId]);
  });
});

describe('a database that the server has open', () => {
  it('can be locked by no other process, and nothing waits for those that try', async () => {
    const { path, mirror } = home();
    const server = await open(path);
    const first = await talk(server, 'm1');
    for (const sql of ['BEGIN EXCLUSIVE', 'SELECT count(*) FROM tasks', 'CREATE TABLE mine (x)']) {
      expect((await hold(mirror, sql)).outcome).toBe('SQLITE_BUSY');
    }
    const second = await talk(server, 'm2');
    expect(ids(server).sort()).toEqual([first, second].sort());
  });
});
