// The operator's hand in webhooks, over HTTP and from the command line, on the real server with time to skip.
import { run } from '../../src/cli/program.js';
import { MAX_TRIES, DELAYS_MS, JITTER } from '../../plugins/followers/push-dispatcher/retry-schedule.js';
import { FakeTerminal } from '../support/fake-terminal.js';
import { Receiver } from '../support/receiver.js';
import { SkippingClock } from '../support/skipping-clock.js';
import { KEYS, OPERATOR_KEY, sendParams, useBridgeServer, type Answer } from '../surfaces/a2a-bridge/bridge-server.js';

const clock = new SkippingClock();
const server = useBridgeServer({ allowPrivate: ['127.0.0.1'] }, [], clock);
const receiver = new Receiver();
const heard: { topic: string; payload: unknown }[] = [];
let onPush: () => void = () => undefined;
beforeAll(async () => {
  await receiver.start();
  const observes = ['push.failed', 'push.delivered', 'push.dead', 'push.disabled'] as const;
  const bus = server.switchboard.bus.join({ name: 'watcher', consumes: [], observes, produces: [] });
  bus.tap('push.*', ({ topic, payload }) => {
    heard.push({ topic, payload });
    onPush();
  });
});
beforeEach(() => {
  receiver.reset();
  heard.length = 0;
});
afterAll(() => receiver.stop());

const get = (path: string): Promise<Answer> => server.send('GET', `/api/a2a${path}`, { key: OPERATOR_KEY });
const post = (path: string, body: object = {}): Promise<Answer> =>
  server.send('POST', `/api/a2a${path}`, { key: OPERATOR_KEY, body });
const count = (topic: string): number => heard.filter((event) => event.topic === topic).length;
async function until(topic: string, times: number): Promise<void> {
  while (count(topic) < times) await new Promise<void>((resolve) => (onPush = resolve));
}
const send = async (config: object, key = KEYS.bob): Promise<string> =>
  (await server.rpc('SendMessage', sendParams('hello', {}, { taskPushNotificationConfig: config }), { key })).json
    .result.task.id;

/** A task whose webhook was given up for its first change and is told of the second. */
async function giveUp(config: { id: string; url: string }, key = KEYS.bob): Promise<string> {
  receiver.respond = (_request, res) => void res.writeHead(500).end();
  const taskId = await send(config, key);
  for (let failures = 1; failures <= MAX_TRIES; failures++) {
    await until('push.failed', failures);
    if (failures === MAX_TRIES) receiver.reset();
    else clock.skip((DELAYS_MS[failures - 1] as number) * (1 + JITTER));
  }
  await until('push.delivered', 1);
  heard.length = 0;
  return taskId;
}

async function cli(...words: string[]): Promise<{ code: number; out: string }> {
  const terminal = new FakeTerminal();
  const env = { SWITCHBOARD_OPERATOR_KEY: OPERATOR_KEY };
  const code = await run(['--url', server.url, ...words], terminal, env);
  return { code, out: terminal.text };
}

describe('the operator', () => {
  it('sees dead letters and tries without any secret, and has them told again', async () => {
    const url = receiver.url('/path-secret?key=query-secret');
    const taskId = await giveUp({ id: 'hook', url });
    const listed = await get('/pushes?state=dead');
    expect(listed.json.pushes).toMatchObject([
      { taskId, configId: 'hook', caller: 'alpha/bob', state: 'dead', dead: 1, owed: 0, version: '1.0' },
    ]);
    const shown = await get(`/pushes/${taskId}/hook`);
    expect(shown.json.deadLetters).toMatchObject([
      { seq: 2, state: 'working', attempts: MAX_TRIES, status: 500, reason: 'status', redriven: false },
    ]);
    expect(shown.json.tries.map(({ attempt, status }: Record<string, unknown>) => [attempt, status])).toEqual([
      [1, 200],
      ...Array.from({ length: MAX_TRIES }, (_, i) => [MAX_TRIES - i, 500]),
    ]);
    expect(listed.text + shown.text).not.toMatch(/path-secret|query-secret/);
    expect((await post(`/pushes/${taskId}/hook/redrive`, { seq: 99 })).json).toEqual({ redriven: 0, more: false });
    expect((await post(`/pushes/${taskId}/hook/redrive`, { seq: 2 })).json).toEqual({ redriven: 1, more: false });
    await until('push.delivered', 1);
    expect(receiver.requests.at(-1)?.headers['webhook-id']).toBe(`${taskId}_hook_2`);
    expect((await get(`/pushes?task=${taskId}`)).json.pushes).toMatchObject([{ state: 'delivered', dead: 0 }]);
    expect((await get('/pushes?state=dead')).json.pushes).toEqual([]);
  });

  it('redrives all dead letters since a date', async () => {
    const before = new Date(clock.now()).toISOString();
    const taskId = await giveUp({ id: 'since', url: receiver.url('/since') });
    clock.skip(1_000);
    const later = new Date(clock.now()).toISOString();
    expect((await post('/pushes/redrive', { since: later })).json).toEqual({ redriven: 0, more: false });
    expect((await post('/pushes/redrive', { since: before })).json).toEqual({ redriven: 1, more: false });
    await until('push.delivered', 1);
    expect(heard.at(-1)?.payload).toMatchObject({ taskId, seq: 2 });
    expect((await post('/pushes/redrive', { since: 'yesterday' })).status).toBe(400);
  });

  it('has what waits for its next try told at once', async () => {
    receiver.respond = (_request, res) => void res.writeHead(503, { 'Retry-After': '3000' }).end();
    const taskId = await send({ id: 'waits', url: receiver.url('/waits') });
    await until('push.failed', 1);
    expect((await get(`/pushes?task=${taskId}`)).json.pushes).toMatchObject([
      { state: 'retrying', owed: 2, attempts: 1, nextAttemptAt: expect.any(String) },
    ]);
    receiver.reset();
    await post(`/pushes/${taskId}/waits/redrive`);
    await until('push.delivered', 2);
    expect(receiver.requests.length).toBe(2);
  });

  it('disables and enables a webhook; what it is owed is kept meanwhile', async () => {
    const { json } = await server.rpc('SendMessage', sendParams('ask x'));
    const { id: taskId } = json.result.task;
    const hook = { taskId, id: 'off', url: receiver.url('/off') };
    await server.rpc('CreateTaskPushNotificationConfig', hook);
    for (let i = 0; i < 2; i++) {
      const { json: view } = await post(`/pushes/${taskId}/off/disable`);
      expect(view).toMatchObject({ state: 'disabled', disabledBy: 'operator' });
    }
    expect(count('push.disabled')).toBe(1);
    await server.rpc('CancelTask', { id: taskId });
    expect((await get('/pushes?state=disabled&caller=alpha/bob')).json.pushes).toMatchObject([{ taskId, owed: 0 }]);
    expect((await get('/pushes?state=disabled&caller=alpha/ann')).json.pushes).toEqual([]);
    await post(`/pushes/${taskId}/off/enable`);
    await until('push.delivered', 1);
    expect(receiver.requests.map(({ path }) => path)).toEqual(['/off']);
  });

  it('pages through webhooks, newest first', async () => {
    receiver.respond = (_request, res) => void res.writeHead(500).end();
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.unshift(await send({ id: 'paged', url: receiver.url('/paged') }, KEYS.ann));
    const seen: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const query = `/pushes?config=paged&pageSize=2${cursor && `&cursor=${cursor}`}`;
      const { json } = await get(query);
      seen.push(...json.pushes.map(({ taskId }: { taskId: string }) => taskId));
      cursor = json.nextCursor;
    }
    expect(seen).toEqual(ids);
    expect((await get('/pushes?cursor=x')).status).toBe(400);
    expect((await get('/pushes?state=unknown')).status).toBe(400);
    for (const id of ids)
      await server.rpc('DeleteTaskPushNotificationConfig', { taskId: id, id: 'paged' }, { key: KEYS.ann });
    expect((await get('/pushes?config=paged')).json.pushes).toEqual([]);
  });

  it('hears that a webhook is not there', async () => {
    expect((await get('/pushes/nothing/x')).status).toBe(404);
    for (const verb of ['redrive', 'disable', 'enable']) expect((await post(`/pushes/a/b/${verb}`)).status).toBe(404);
    expect((await server.send('GET', '/api/a2a/pushes', { key: KEYS.bob })).status).toBe(401);
  });

  it('does the same from the command line', async () => {
    const before = new Date(clock.now()).toISOString();
    const taskId = await giveUp({ id: 'cli', url: receiver.url('/cli?secret=s') });
    const list = await cli('pushes', '--state', 'dead');
    expect([list.code, list.out]).toEqual([0, expect.stringMatching(new RegExp(`${taskId} +cli +dead +0 +1`))]);
    const show = await cli('pushes', 'show', taskId, 'cli');
    expect(show.out).toMatch(/dead {3}2 working, given up .* after 7 tries: 500/);
    expect((await cli('pushes', 'redrive', '--since', before)).out).toContain('1 dead letters');
    await until('push.delivered', 1);
    expect((await cli('pushes', 'redrive', taskId, 'cli')).out).toContain('0 dead letters');
    expect((await cli('pushes', 'disable', taskId, 'cli')).out).toContain('disabled');
    expect((await cli('pushes', 'enable', taskId, 'cli')).out).toContain('delivered');
    expect((await cli('pushes', 'redrive')).code).toBe(2);
    expect((await cli('pushes', 'show', taskId, 'other')).code).toBe(6);
  });
});
