// The hostile URLs against the real server: a webhook that is registered, one that is told, a file that is pointed to. All
// connections of the process are watched meanwhile: whatever does not go to the server itself was dialled by src/net.
import { Socket } from 'node:net';
import { silentLogger } from '../../src/log.js';
import { createSwitchboard, type Switchboard } from '../../src/main.js';
import { definePlugin } from '../../src/plugin.js';
import type { PushFailed } from '../../src/bus/topics.js';
import { Receiver } from '../support/receiver.js';
import { A2aClient, Refused, textMessage, type WireTask } from '../support/a2a-client.js';
import { BAD_NAMES, BAD_URLS, nameService } from '../support/ssrf-corpus.js';
import { makeTestHome, type TestHome } from '../support/test-home.js';

const LISTED = 'webhooks.intra.example';
const receiver = new Receiver();
const failures: PushFailed[] = [];
let changed = (): void => undefined;
const watcher = definePlugin({
  name: 'watcher',
  consumes: [],
  observes: ['push.failed'],
  produces: [],
  install({ bus }) {
    bus.subscribe('push.failed', (failure) => {
      failures.push(failure);
      changed();
    });
  },
});
const names = nameService({
  ...Object.fromEntries(BAD_NAMES.map(([name, addresses]) => [name, [addresses]])),
  'rebind.example': [['1.1.1.1'], ['127.0.0.1']],
  [LISTED]: [['127.0.0.1']],
});

/** Where connections went that src/net did not make. */
const others: string[] = [];
const connect = Socket.prototype.connect;
let home: TestHome;
let switchboard: Switchboard;
let client: A2aClient;

beforeAll(async () => {
  await receiver.start();
  home = makeTestHome({ settings: { allowPrivate: [`${LISTED}:${receiver.port}`] } });
  switchboard = await createSwitchboard({
    config: { home: home.path, host: '127.0.0.1', port: 0 },
    log: silentLogger(),
    resolve: names.resolve,
    plugins: [watcher],
  });
  const { url } = await switchboard.start();
  client = new A2aClient(url, home.keys['ann'] as string);
  Socket.prototype.connect = function (this: Socket, ...args: never[]) {
    const stack = new Error().stack ?? '';
    const text = JSON.stringify(args);
    // The SDK's gRPC client can't be closed: one of an earlier file in this process may still look for its server.
    const own = stack.includes('/src/net/guarded-agent.') || stack.includes('@grpc/grpc-js');
    if (!own && !text.includes(new URL(url).port)) others.push(text);
    return connect.apply(this, args as never);
  } as typeof connect;
});
afterAll(async () => {
  Socket.prototype.connect = connect;
  await switchboard.stop();
  await receiver.stop();
  home.remove();
});
afterEach(() => expect(others).toEqual([]));

let messages = 0;
const send = async (parts: object[], configuration = {}): Promise<WireTask> => {
  const message = { ...textMessage(`m${++messages}`, ''), parts };
  return (await client.rpc<{ task: WireTask }>('SendMessage', { message, configuration })).task;
};

/** The sentence of the refusal about the field `url`. */
async function refusal(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Refused);
  return (error as Refused).message;
}

it('a webhook at a hostile URL is not saved, and the refusal says why', async () => {
  const { id: taskId } = await send([{ text: 'ask name?' }]);
  for (const [url, problem] of BAD_URLS) {
    expect(await refusal(client.rpc('CreateTaskPushNotificationConfig', { taskId, url }))).toContain(problem);
  }
  for (const [name] of BAD_NAMES) {
    const create = client.rpc('CreateTaskPushNotificationConfig', { taskId, url: `https://${name}/` });
    expect(await refusal(create)).toContain('must not lead to a private address');
  }
});

it('a message with a webhook or a file at a hostile URL is refused, and the refusal says why', async () => {
  const before = (await client.rpc<{ totalSize: number }>('ListTasks', {})).totalSize;
  for (const [url, problem] of BAD_URLS) {
    const taskPushNotificationConfig = { url };
    expect(await refusal(send([{ text: 'hi' }], { taskPushNotificationConfig }))).toContain(problem);
    expect(await refusal(send([{ url }]))).toContain(problem);
  }
  expect((await client.rpc<{ totalSize: number }>('ListTasks', {})).totalSize).toBe(before);
});

it('a file at a name that leads inside fails its task, and nothing is dialled', async () => {
  for (const [name] of BAD_NAMES) {
    const task = await send([{ url: `https://${name}:${receiver.port}/` }]);
    expect(task.status.state).toBe('TASK_STATE_FAILED');
    expect(JSON.stringify(task.status.message)).toContain('the address may not be reached from here');
  }
  expect(receiver.connections).toBe(0);
});

it('a webhook that came into a task all the same is not told: checked again when it is used', async () => {
  const bad = [...BAD_URLS.map(([url]) => url), ...BAD_NAMES.map(([name]) => `https://${name}/`)];
  for (let at = 0; at < bad.length; at += 10) {
    const { id: taskId, contextId } = await send([{ text: 'ask name?' }]);
    const some = bad.slice(at, at + 10);
    for (const [place, url] of some.entries()) {
      await switchboard.core.ledger.pushConfigs.set(taskId, { id: `w${place}`, url, version: '1.0' });
    }
    failures.length = 0;
    await client.rpc('SendMessage', { message: textMessage(`m${++messages}`, 'Ann', { taskId, contextId }) });
    const all = new Set(some.map((_url, place) => `w${place}`));
    while (new Set(failures.map(({ configId }) => configId)).size < all.size) {
      await new Promise<void>((resolve) => (changed = resolve));
    }
    for (const { reason } of failures) expect(['not-allowed', 'bad-url']).toContain(reason);
  }
  expect(receiver.connections).toBe(0);
});

it('a webhook whose name leads elsewhere the second time is saved and not told', async () => {
  const { id: taskId, contextId } = await send([{ text: 'ask name?' }]);
  await client.rpc('CreateTaskPushNotificationConfig', { taskId, url: 'https://rebind.example/' });
  failures.length = 0;
  await client.rpc('SendMessage', { message: textMessage(`m${++messages}`, 'Ann', { taskId, contextId }) });
  // Webhooks of the tasks before are tried again meanwhile.
  const ofThisTask = (): PushFailed | undefined => failures.find((failure) => failure.taskId === taskId);
  while (!ofThisTask()) await new Promise<void>((resolve) => (changed = resolve));
  expect(ofThisTask()?.reason).toBe('not-allowed');
  expect(receiver.connections).toBe(0);
});

it('a webhook and a file at a host and port that the operator listed are reached', async () => {
  const url = receiver.url('/hook', LISTED);
  const task = await send([{ text: 'say hi' }, { url }], { taskPushNotificationConfig: { url } });
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  await receiver.received(2);
  const elsewhere = `http://${LISTED}:${receiver.port + 1}/`;
  expect(await refusal(send([{ url: elsewhere }]))).toContain('must be an https URL');
});
