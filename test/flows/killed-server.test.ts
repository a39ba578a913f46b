// A process killed in the middle of its work, and the next one on the same home: what clients were told stays true, and
// whoever waits is told how it ended.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { A2aClient, Disconnected, textMessage, type WireTask } from '../support/a2a-client.js';
import { ensureBuilt, startSwitchboard } from '../support/compiled-server.js';
import { Receiver } from '../support/receiver.js';
import type { ServerChild } from '../support/server-child.js';
import { makeTestHome, type TestHome } from '../support/test-home.js';

let home: TestHome;
let server: ServerChild;
const receiver = new Receiver();
beforeAll(async () => {
  ensureBuilt();
  await receiver.start();
  home = makeTestHome({ settings: { allowPrivate: ['127.0.0.1'] } });
  server = await startSwitchboard({ home: home.path });
});
afterAll(async () => {
  await server?.stop();
  await receiver.stop();
  home?.remove();
});

const client = (): A2aClient => new A2aClient(server.url, home.keys['ann'] as string);

describe('work in a process that is killed', () => {
  it('was stored before it was shown, is failed by the next process, and its webhook hears of it', async () => {
    const { task } = await client().rpc<{ task: WireTask }>('SendMessage', {
      message: textMessage('killed-1', 'say half; wait 600000; say whole'),
      configuration: { returnImmediately: true, taskPushNotificationConfig: { url: receiver.url('/') } },
    });
    const asked = await client().rpc<{ task: WireTask }>('SendMessage', {
      message: textMessage('killed-2', 'ask who?'),
    });
    const stream = client().stream('SubscribeToTask', { id: task.id });
    await stream.next();
    await receiver.received(1);
    await server.kill();
    const broken = async (): Promise<void> => {
      for (;;) if ((await stream.next()).done) return;
    };
    await expect(broken()).rejects.toBeInstanceOf(Disconnected);

    server = await startSwitchboard({ home: home.path });
    const found = await client().rpc<WireTask>('GetTask', { id: task.id });
    expect(found.status.state).toBe('TASK_STATE_FAILED');
    expect(JSON.stringify(found.status.message)).toContain('server restarted');
    let told: string[] = [];
    while (!told.includes('TASK_STATE_FAILED')) {
      await receiver.received(receiver.requests.length === told.length ? told.length + 1 : receiver.requests.length);
      told = receiver.requests.map(({ body }) => (JSON.parse(body) as { task: WireTask }).task.status.state);
    }
    expect(told.filter((state) => state === 'TASK_STATE_FAILED')).toHaveLength(1);

    const open = await client().rpc<WireTask>('GetTask', { id: asked.task.id });
    expect(open).toEqual(asked.task);
    const answer = textMessage('killed-3', 'me', { taskId: open.id, contextId: open.contextId });
    const answered = await client().rpc<{ task: WireTask }>('SendMessage', { message: answer });
    expect(answered.task.status.state).toBe('TASK_STATE_COMPLETED');
    const again = await client().rpc<{ task: WireTask }>('SendMessage', {
      message: textMessage('killed-1', 'say half; wait 600000; say whole'),
    });
    expect(again.task.id).toBe(task.id);
  });
});
