// What a webhook receives, and when: the real server and a real receiver on loopback.
import { Webhook } from 'standardwebhooks';
import { TOPIC_KINDS } from '../../src/bus/topics.js';
import { Secrets } from '../../src/secrets/secrets.js';
import { KEYS, sendParams, useBridgeServer } from '../surfaces/a2a-bridge/bridge-server.js';
import { Receiver, type ReceivedRequest } from '../support/receiver.js';
import { SkippingClock } from '../support/skipping-clock.js';

const clock = new SkippingClock();
const server = useBridgeServer({ allowPrivate: ['127.0.0.1'] }, [], clock);
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

/** Runs something as if the system's time were that of the clock. */
function aheadBy<T>(ahead: SkippingClock, work: () => T): T {
  const { now } = Date;
  const time = ahead.now();
  Date.now = () => time;
  const RealDate = Date;
  try {
    return work();
  } finally {
    RealDate.now = now;
  }
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
    while (done('/works').length < 2 || done('/moved').length < 1)
      await receiver.received(receiver.requests.length + 1);
    expect([done('/hangs').length, done('/elsewhere').length]).toEqual([1, 0]);
  });

  it('that is down is told after a restart, with or without the database, in order and under the same ids', async () => {
    let status = 503;
    receiver.respond = (_request, res) => void res.writeHead(status).end();
    const asked = await send('ask name?', { id: 'down', url: receiver.url('/') });
    const ended = await send('say bye', { id: 'down-too', url: receiver.url('/ended') });
    const before = [...(await receiver.received(2))];
    const told = (path: string): ReceivedRequest[] => receiver.requests.filter((request) => request.path === path);
    await server.restart();
    clock.skip(2_000);
    await receiver.received(4);
    status = 200;
    await server.restart({ withoutDatabase: true });
    for (const { id } of [asked, ended]) await allTold(id);
    expect(states(told('/'))).toEqual(['WORKING', 'WORKING', 'WORKING', 'INPUT_REQUIRED']);
    expect(states(told('/ended'))).toEqual(['WORKING', 'WORKING', 'WORKING', 'COMPLETED']);
    for (const path of ['/', '/ended']) {
      const ids = told(path).map(({ headers }) => headers['webhook-id']);
      expect(new Set(ids.slice(0, 3))).toEqual(
        new Set(before.filter((request) => request.path === path).map(({ headers }) => headers['webhook-id'])),
      );
    }
    await server.restart();
    await server.rpc('CancelTask', { id: asked.id });
    await receiver.received(9);
    expect(states(receiver.requests.slice(8))).toEqual(['CANCELED']);
  });

  it('is signed with the secret that its caller has at that moment', async () => {
    const secrets = ['first-secret-of-24-bytes', 'second-secret-of-24-bytes'].map(
      (text) => `whsec_${Buffer.from(text).toString('base64')}`,
    );
    const callers = (webhookSecret?: string): void =>
      server.write('alpha', 'callers.json', {
        v: 1,
        callers: [
          { name: 'ann', key: KEYS.ann },
          { name: 'bob', key: KEYS.bob, webhookSecret },
        ],
      });
    for (const [i, secret] of [...secrets, undefined, 'not base64'].entries()) {
      callers(secret);
      await send('hello', { url: receiver.url(`/signed-${i}`) });
      const requests = await receiver.received(receiver.requests.length + 1);
      const request = requests.find(({ path }) => path === `/signed-${i}`) as ReceivedRequest;
      const headers = request.headers as Record<string, string>;
      expect(Number(headers['webhook-timestamp'])).toBeGreaterThan(0);
      expect('webhook-signature' in headers).toBe(i < 2);
      // The server's time runs ahead here; the library is told so.
      const verify = (key: string): unknown => aheadBy(clock, () => new Webhook(key).verify(request.body, headers));
      for (const [j, known] of secrets.entries()) {
        if (i === j) expect(verify(known)).toEqual(JSON.parse(request.body));
        else expect(() => verify(known)).toThrow();
      }
    }
    callers();
  });

  it('leaves no trace of its secrets on the bus', async () => {
    const seen: string[] = [];
    const bus = server.switchboard.bus.join({ name: 'spy', consumes: [], observes: TOPIC_KINDS, produces: [] });
    bus.tap('>', (envelope) => void seen.push(JSON.stringify(envelope)));
    const authentication = { scheme: 'Bearer', credentials: 'credentials-of-ours' };
    const url = receiver.url('/hook?key=query-of-ours');
    const task = await send('ask x', { url, token: 'token-of-ours', authentication });
    await send('bye', { url, token: 'token-of-ours' }, { taskId: task.id, contextId: task.contextId });
    await receiver.received(2);
    expect(seen.length).toBeGreaterThan(10);
    expect(seen.filter((text) => text.includes('of-ours'))).toEqual([]);
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
