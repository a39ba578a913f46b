// Time passes at a real server, by a clock of the test: the official client and the operator see what becomes of
// questions and of ended tasks.
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TaskState, type Part, type StreamResponse, type Task } from '@a2a-js/sdk';
import { ClientFactory, JsonRpcTransportFactory, type Client } from '@a2a-js/sdk/client';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { silentLogger } from '../../src/log.js';
import { createSwitchboard, type Switchboard } from '../../src/main.js';
import type { TaskView } from '../../src/operator-wire.js';
import { FakeClock } from '../support/fake-clock.js';
import { Receiver } from '../support/receiver.js';
import { makeTestHome, OPERATOR_KEY, setRetention, type TestHome } from '../support/test-home.js';
import { sendRequest, textPart } from '../support/sdk-request.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let home: TestHome;
let clock: FakeClock;
let switchboard: Switchboard;
let url: string;
let client: Client;

async function open(): Promise<void> {
  const config = { home: home.path, host: '127.0.0.1', port: 0, allowPrivate: ['127.0.0.1'] };
  switchboard = await createSwitchboard({ config, clock, log: silentLogger() });
  ({ url } = await switchboard.start());
  const fetchImpl: typeof fetch = (input, init) =>
    fetch(input, { ...init, headers: { ...(init?.headers as Record<string, string>), 'X-API-Key': home.keys.ann! } });
  client = await new ClientFactory({ transports: [new JsonRpcTransportFactory({ fetchImpl })] }).createFromUrl(url);
}

beforeEach(async () => {
  home = makeTestHome();
  clock = new FakeClock();
  await open();
});
afterEach(async () => {
  await switchboard.stop();
  home.remove();
});

/** Lets time go on, a second at a time, until it is so. */
async function until(what: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 1000; tries++) {
    if (await what()) return;
    clock.advance(1000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error('it never came to that');
}

const file: Part = {
  ...textPart(''),
  content: { $case: 'raw', value: Buffer.from('some bytes') },
  filename: 'some.bin',
};

async function send(parts: Part[], ids: { taskId?: string; contextId?: string } = {}): Promise<Task> {
  return (await client.sendMessage(sendRequest(parts, ids))) as Task;
}

const files = (folder: string): string[] => readdirSync(join(home.path, 'workspaces', 'demo', '.a2a', folder));
const poll = async (cid: string): Promise<TaskView> => {
  const answer = await fetch(`${url}/api/a2a/task/${cid}`, { headers: { 'X-API-Key': OPERATOR_KEY } });
  return (await answer.json()) as TaskView;
};
const get = (id: string): Promise<Task> => client.getTask({ tenant: '', id, historyLength: undefined });
const isGone = (id: string): Promise<boolean> =>
  get(id).then(
    () => false,
    (error: Error) => error.name === 'TaskNotFoundError',
  );
const list = (status: TaskState): ReturnType<Client['listTasks']> =>
  client.listTasks({ tenant: '', contextId: '', status, pageToken: '', statusTimestampAfter: undefined });

describe('a question that nobody answers', () => {
  it('ends for streams, webhooks, lists and the operator alike, by a setting that was edited meanwhile', async () => {
    const receiver = await new Receiver().start();
    try {
      const { id } = await send([textPart('ask which colour')]);
      const hook = { tenant: '', taskId: id, id: 'hook', url: receiver.url(), token: '', authentication: undefined };
      await client.createTaskPushNotificationConfig(hook);
      const events: StreamResponse[] = [];
      let over = false;
      const reading = (async () => {
        for await (const event of client.resubscribeTask({ tenant: '', id })) events.push(event);
        over = true;
      })();
      await until(() => events.length > 0);
      const settings = join(home.path, 'workspaces', 'demo', '.a2a', 'workspace.json');
      writeFileSync(settings, JSON.stringify({ v: 1, expireQuestions: '2h' }));
      clock.jump(HOUR);
      await until(() => true);
      expect((await get(id)).status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
      clock.jump(HOUR);
      await until(() => over);
      await reading;
      const last = events.at(-1)?.payload;
      expect(last?.$case === 'statusUpdate' && last.value.status).toMatchObject({
        state: TaskState.TASK_STATE_FAILED,
        message: { parts: [{ content: { value: 'no answer in time' } }] },
      });
      expect((await list(TaskState.TASK_STATE_FAILED)).tasks.map((task) => task.id)).toEqual([id]);
      expect(await poll(id)).toMatchObject({ taskState: 'failed', error: { code: 'expired' } });
      await expect(send([textPart('blue')], { taskId: id })).rejects.toMatchObject({
        name: 'UnsupportedOperationError',
      });
      const [post] = await receiver.received(1);
      const { task } = JSON.parse(post!.body) as { task: { status: { state: string } } };
      expect(task.status.state).toBe('TASK_STATE_FAILED');
    } finally {
      await receiver.stop();
    }
  });
});

describe('an ended task that is too old', () => {
  it('is like one that never was, on every operation, and stays so without the database, too', async () => {
    const old = await send([textPart('file out.txt some words'), file]);
    const asks = await send([textPart('ask which colour')]);
    await switchboard.core.ledger.flush();
    expect([files('tasks').length, files('sessions').length, files('blobs').length]).toEqual([2, 2, 2]);
    setRetention(home, { days: 1 });
    clock.jump(DAY + 1);
    await until(() => isGone(old.id));
    const notFound = { name: 'TaskNotFoundError' };
    await expect(client.cancelTask({ tenant: '', id: old.id, metadata: undefined })).rejects.toMatchObject(notFound);
    await expect(client.resubscribeTask({ tenant: '', id: old.id }).next()).rejects.toMatchObject(notFound);
    await expect(send([textPart('more')], { taskId: old.id })).rejects.toMatchObject(notFound);
    const name = { tenant: '', taskId: old.id, id: 'x' };
    await expect(client.getTaskPushNotificationConfig(name)).rejects.toMatchObject(notFound);
    expect((await list(TaskState.TASK_STATE_UNSPECIFIED)).tasks.map(({ id }) => id)).toEqual([asks.id]);
    expect((await poll(old.id)).taskState).toBe('unknown');
    expect((await poll('never-was')).taskState).toBe('unknown');
    await until(() => files('blobs').length === 0);
    expect(files('tasks')).toEqual([`${asks.id}.json`]);
    expect(files('sessions')).toHaveLength(1);
    await switchboard.stop();
    for (const suffix of ['', '-wal', '-shm'])
      rmSync(join(home.path, 'data', `mirror.sqlite${suffix}`), { force: true });
    await open();
    expect(await isGone(old.id)).toBe(true);
    expect((await get(asks.id)).status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    expect((await list(TaskState.TASK_STATE_UNSPECIFIED)).totalSize).toBe(1);
    // Its conversation can be begun anew.
    expect((await send([textPart('again')], { contextId: old.contextId })).contextId).toBe(old.contextId);
  });

  it('of the operator goes by what the home says', async () => {
    const body = JSON.stringify({ agent: 'demo', message: 'hello' });
    const headers = { 'X-API-Key': OPERATOR_KEY, 'Content-Type': 'application/json' };
    const answer = await fetch(`${url}/api/a2a/chat`, { method: 'POST', headers, body });
    const { cid } = (await answer.json()) as TaskView;
    setRetention(home, { days: 1 });
    clock.jump(89 * DAY);
    await until(() => true);
    expect((await poll(cid)).taskState).toBe('completed');
    clock.jump(DAY);
    await until(async () => (await poll(cid)).taskState === 'unknown');
  });

  it('stays while the owner’s settings could never be read', async () => {
    const { id } = await send([textPart('hello')]);
    await switchboard.stop();
    writeFileSync(join(home.path, 'workspaces', 'demo', '.a2a', 'workspace.json'), '{"retention":{"days":3650}');
    await open();
    clock.jump(200 * DAY);
    for (let i = 0; i < 20; i++) {
      clock.advance(6000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await poll(id)).taskState).toBe('completed');
  });
});
