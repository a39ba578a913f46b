// What a webhook receives, and when: the real server and a real receiver on loopback.
import { Secrets } from '../../src/log.js';
import { KEYS, sendParams, useBridgeServer } from '../surfaces/a2a-bridge/bridge-server.js';
import { Receiver, type ReceivedRequest } from '../support/receiver.js';

const server = useBridgeServer({ allowPrivate: ['127.0.0.1'] });
let receiver: Receiver;
beforeEach(async () => {
  receiver = await new Receiver().start();
});
afterEach(() => receiver.stop());

const states = (requests: readonly ReceivedRequest[]): string[] =>
  requests.map(({ body }) => JSON.parse(body).task.status.state.slice('TASK_STATE_'.length));
const send = async (text: string, config?: object, more: Record<string, unknown> = {}) =>
  (await server.rpc('SendMessage', sendParams(text, more, config && { taskPushNotificationConfig: config }))).json
    .result.task;
/** Resolves when the ledger knows that everything was taken. */
async function allTold(taskId: string): Promise<void> {
  const owed = (): boolean => {
    const { pushConfigs = [], transitions } = server.switchboard.core.ledger.get(taskId)?.envelope ?? {
      transitions: [],
    };
    return pushConfigs.some(({ acknowledged }) => acknowledged < (transitions.at(-1)?.seq ?? 0));
  };
  while (owed()) await new Promise((resolve) => setImmediate(resolve));
}

describe('a webhook', () => {
  it('that came with the message is told of each change once, with its headers and the task', async () => {
    const task = await send('say hello', {
      id: 'hook',
      url: receiver.url('/hook?x=1'),
      token: 'token-of-ours',
      authentication: { scheme: 'Bearer', credentials: 'credentials-of-ours' },
    });
    const requests = await receiver.received(2);
    expect(states(requests)).toEqual(['WORKING', 'COMPLETED']);
    for (const { method, path, headers } of requests) {
      expect([method, path]).toEqual(['POST', '/hook?x=1']);
      expect(headers).toMatchObject({
        authorization: 'Bearer credentials-of-ours',
        'x-a2a-notification-token': 'token-of-ours',
        'content-type': 'application/a2a+json',
        'webhook-id': expect.stringMatching(new RegExp(`^${task.id}_hook_\\d+$`)),
      });
    }
    const told = JSON.parse(requests[1]?.body ?? '');
    const { history: _history, ...shown } = (await server.rpc('GetTask', { id: task.id })).json.result;
    expect(told).toEqual({ task: shown });
    await allTold(task.id);
    expect(receiver.requests.length).toBe(2);
  });

  it('of a stream, and one registered over REST, are told too, and the pieces of text are no news', async () => {
    const asked = await send('ask name?');
    const path = `/a2a/tasks/${asked.id}/pushNotificationConfigs`;
    await server.send('POST', path, { body: { id: 'rest', url: receiver.url('/rest') } });
    const more = { taskId: asked.id, contextId: asked.contextId };
    const configuration = { taskPushNotificationConfig: { id: 'inline', url: receiver.url('/inline') } };
    await server.rpc('SendStreamingMessage', sendParams('Ann', more, configuration));
    const requests = await receiver.received(4);
    for (const hook of ['/rest', '/inline']) {
      expect(states(requests.filter(({ path }) => path === hook))).toEqual(['WORKING', 'COMPLETED']);
    }
    await allTold(asked.id);
    expect(receiver.requests.length).toBe(4);
  });

  it('is told of a question with its words, of a cancel, and of a refusal', async () => {
    const task = await send('ask How old?', { url: receiver.url('/') });
    const [, question] = await receiver.received(2);
    expect(JSON.parse(question?.body ?? '').task.status).toMatchObject({
      state: 'TASK_STATE_INPUT_REQUIRED',
      message: { parts: [{ text: 'How old?' }], metadata: { kind: 'input-request' } },
    });
    await server.rpc('CancelTask', { id: task.id });
    expect(states(await receiver.received(3))).toEqual(['WORKING', 'INPUT_REQUIRED', 'CANCELED']);
    const chain = Array.from({ length: 4 }, (_, i) => ({ switchboard: `s${i}`, agent: 'a' }));
    const looped = await send('hi', { url: receiver.url('/loop') }, { metadata: { 'switchboard.chain': chain } });
    expect(looped.status.state).toBe('TASK_STATE_REJECTED');
    const last = (await receiver.received(4)).at(-1) as ReceivedRequest;
    expect([last.path, states([last])]).toEqual(['/loop', ['REJECTED']]);
  });

  it('is told nothing after it was deleted', async () => {
    const task = await send('ask name?', { id: 'gone', url: receiver.url('/gone') });
    await receiver.received(2);
    await allTold(task.id);
    await server.rpc('DeleteTaskPushNotificationConfig', { taskId: task.id, id: 'gone' });
    await server.rpc('CreateTaskPushNotificationConfig', { taskId: task.id, id: 'stays', url: receiver.url('/stays') });
    await server.rpc('CancelTask', { id: task.id });
    await receiver.received(3);
    expect(receiver.requests.map(({ path }) => path)).toEqual(['/gone', '/gone', '/stays']);
  });

  it('that hangs or redirects holds up neither the task nor other webhooks', async () => {
    receiver.respond = ({ path }, res) => {
      if (path === '/hangs') return;
      if (path === '/moved') res.writeHead(307, { Location: receiver.url('/elsewhere') });
      res.end();
    };
    const asked = await send('ask name?');
    for (const id of ['hangs', 'moved', 'works']) {
      await server.rpc('CreateTaskPushNotificationConfig', { taskId: asked.id, id, url: receiver.url(`/${id}`) });
    }
    const ended = await send('Ann', undefined, { taskId: asked.id, contextId: asked.contextId });
    expect(ended.status.state).toBe('TASK_STATE_COMPLETED');
    const done = (path: string): ReceivedRequest[] => receiver.requests.filter((request) => request.path === path);
    while (done('/works').length < 2 || done('/moved').length < 2)
      await receiver.received(receiver.requests.length + 1);
    expect([done('/hangs').length, done('/elsewhere').length]).toEqual([1, 0]);
  });

  it('with a wrong answer, once for each change, is told again after a restart, in order', async () => {
    let status = 503;
    receiver.respond = (_request, res) => void res.writeHead(status).end();
    const asked = await send('ask name?', { id: 'down', url: receiver.url('/') });
    const ended = await send('say bye', { id: 'down-too', url: receiver.url('/ended') });
    await receiver.received(4);
    status = 200;
    await server.restart();
    const requests = await receiver.received(8);
    const again = requests.slice(4);
    const ids = (path: string, from: readonly ReceivedRequest[]): unknown[] =>
      from.filter((request) => request.path === path).map(({ headers }) => headers['webhook-id']);
    expect(states(again.filter(({ path }) => path === '/'))).toEqual(['WORKING', 'INPUT_REQUIRED']);
    expect(states(again.filter(({ path }) => path === '/ended'))).toEqual(['WORKING', 'COMPLETED']);
    for (const path of ['/', '/ended']) expect(ids(path, again)).toEqual(ids(path, requests.slice(0, 4)));
    for (const { id } of [asked, ended]) await allTold(id);
    await server.restart();
    await server.rpc('CancelTask', { id: asked.id });
    await receiver.received(9);
    expect(states(receiver.requests.slice(8))).toEqual(['CANCELED']);
  });

  it('of a run that is canceled in its middle is told so', async () => {
    const params = sendParams(
      'wait 60000',
      {},
      {
        returnImmediately: true,
        taskPushNotificationConfig: { url: receiver.url('/') },
      },
    );
    const { id } = (await server.rpc('SendMessage', params)).json.result.task;
    await receiver.received(1);
    await allTold(id);
    await server.rpc('CancelTask', { id });
    expect(states(await receiver.received(2))).toEqual(['WORKING', 'CANCELED']);
  });

  it('is never called without the operator allowing private addresses', async () => {
    const events: unknown[] = [];
    const bus = server.switchboard.bus.join({ name: 'watcher', consumes: [], observes: ['push.failed'], produces: [] });
    bus.subscribe('push.failed', (failed) => void events.push(failed));
    const params = sendParams('hi', {}, { taskPushNotificationConfig: { url: `http://127.0.0.2:${receiver.port}/` } });
    const answer = await server.rpc('SendMessage', params);
    expect(answer.json.error.code).toBe(-32602);
    expect(answer.text).toContain('configuration.taskPushNotificationConfig.url');
    expect([receiver.connections, events]).toEqual([0, []]);
  });

  it('of one caller is no business of another', async () => {
    const params = sendParams('hi', {}, { taskPushNotificationConfig: { id: 'c', url: receiver.url('/') } });
    const { id } = (await server.rpc('SendMessage', params, { key: KEYS.ann })).json.result.task;
    await receiver.received(2);
    expect((await server.rpc('ListTaskPushNotificationConfigs', { taskId: id })).json.error.code).toBe(-32001);
  });
});

describe('the secrets of a webhook', () => {
  it('are redacted from log lines once they are known, and only the latest of them are remembered', () => {
    const secrets = new Secrets();
    secrets.add('the operators key');
    for (let i = 0; i < 300; i++) secrets.addPassing(`token-number-${i}-`);
    expect(secrets.redact('token-number-299- token-number-44- the operators key')).toBe(
      '[redacted] [redacted] [redacted]',
    );
    expect(secrets.redact('token-number-0-')).toBe('token-number-0-');
  });
});
