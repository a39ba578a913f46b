// Webhooks as a client registers, reads and deletes them, over both bindings of the real server.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KEYS, sendParams, useBridgeServer, type Answer } from '../surfaces/a2a-bridge/bridge-server.js';
import { Receiver } from '../support/receiver.js';

const server = useBridgeServer({ allowPrivate: ['127.0.0.1'] });
const receiver = new Receiver();
beforeAll(() => receiver.start());
afterAll(() => receiver.stop());

const UNKNOWN = '0'.repeat(36);
// Not reachable; only its form is looked at.
const URL_OK = 'https://8.8.8.8/hook';

const waitingTask = async (key = KEYS.bob): Promise<string> =>
  (await server.rpc('SendMessage', sendParams('ask name?'), { key })).json.result.task.id;

interface Binding {
  create(taskId: string, config: object, key?: string): Promise<Answer>;
  get(taskId: string, id: string, key?: string): Promise<Answer>;
  list(taskId: string, query?: Record<string, string | number>, key?: string): Promise<Answer>;
  delete(taskId: string, id: string, key?: string): Promise<Answer>;
  result(answer: Answer): unknown;
  code(answer: Answer): unknown;
}

const rpc: Binding = {
  create: (taskId, config, key) => server.rpc('CreateTaskPushNotificationConfig', { taskId, ...config }, { key }),
  get: (taskId, id, key) => server.rpc('GetTaskPushNotificationConfig', { taskId, id }, { key }),
  list: (taskId, query, key) => server.rpc('ListTaskPushNotificationConfigs', { taskId, ...query }, { key }),
  delete: (taskId, id, key) => server.rpc('DeleteTaskPushNotificationConfig', { taskId, id }, { key }),
  result: ({ json }) => json.result,
  code: ({ json }) => json.error?.code,
};
const CODES: Record<string, number> = { TASK_NOT_FOUND: -32001, INVALID_PARAMS: -32602 };
const rest: Binding = {
  create: (taskId, body, key) => server.send('POST', `/a2a/tasks/${taskId}/pushNotificationConfigs`, { body, key }),
  get: (taskId, id, key) => server.send('GET', `/a2a/tasks/${taskId}/pushNotificationConfigs/${id}`, { key }),
  list: (taskId, query, key) =>
    server.send('GET', `/a2a/tasks/${taskId}/pushNotificationConfigs?${new URLSearchParams(query as never)}`, { key }),
  delete: (taskId, id, key) => server.send('DELETE', `/a2a/tasks/${taskId}/pushNotificationConfigs/${id}`, { key }),
  result: ({ json }) => json,
  code: ({ json }) => CODES[json?.error?.details?.[0]?.reason],
};

describe.each([
  ['JSON-RPC', rpc],
  ['REST', rest],
])('a push notification config over %s', (_name, binding) => {
  it('is created with an id, read, listed and deleted', async () => {
    const taskId = await waitingTask();
    expect(binding.result(await binding.list(taskId))).toEqual({ configs: [] });
    const created = binding.result(await binding.create(taskId, { url: URL_OK })) as { id: string };
    expect(created).toEqual({ id: expect.stringMatching(/^[A-Za-z0-9_-]{1,64}$/), taskId, url: URL_OK });
    expect(binding.result(await binding.create(taskId, { id: 'mine', url: URL_OK }))).toMatchObject({ id: 'mine' });
    expect(binding.result(await binding.get(taskId, created.id))).toEqual(created);
    const { configs } = binding.result(await binding.list(taskId)) as { configs: { id: string }[] };
    expect(configs.map(({ id }) => id)).toEqual([created.id, 'mine']);
    for (let i = 0; i < 2; i++) expect((await binding.delete(taskId, created.id)).status).toBeLessThan(300);
    expect(binding.code(await binding.get(taskId, created.id))).toBe(-32001);
    expect(binding.result(await binding.list(taskId))).toMatchObject({ configs: [{ id: 'mine' }] });
  });

  it('shows nobody its secrets, and they are stored for its owner alone', async () => {
    const taskId = await waitingTask();
    const authentication = { scheme: 'Bearer', credentials: 'very-secret-credentials' };
    const answers = [
      await binding.create(taskId, { id: 'c', url: URL_OK, token: 'very-secret-token', authentication }),
      await binding.get(taskId, 'c'),
      await binding.list(taskId),
      await server.rpc('GetTask', { id: taskId }),
    ];
    for (const { text } of answers) expect(text).not.toContain('very-secret');
    expect(binding.result(answers[1] as Answer)).toMatchObject({ authentication: { scheme: 'Bearer' } });
    await server.switchboard.core.ledger.flush();
    expect(readFileSync(join(server.workspace('alpha'), '.a2a/tasks', `${taskId}.json`), 'utf8')).toContain(
      'very-secret',
    );
  });

  it('of a foreign task is as little known as one of an unknown task', async () => {
    const taskId = await waitingTask(KEYS.ann);
    await binding.create(taskId, { id: 'c', url: URL_OK, token: 'very-secret-token' }, KEYS.ann);
    for (const id of [taskId, UNKNOWN, '..', 'X']) {
      const answers = [
        await binding.create(id, { url: URL_OK }),
        await binding.get(id, 'c'),
        await binding.list(id),
        await binding.delete(id, 'c'),
      ];
      const codes = answers.map((answer) => binding.code(answer));
      // `..` can't even be addressed over REST.
      if (id !== '..' || binding === rpc) expect(codes).toEqual([-32001, -32001, -32001, -32001]);
      for (const { text } of answers) expect(text).not.toContain('very-secret');
    }
    expect(binding.result(await binding.get(taskId, 'c', KEYS.ann))).toMatchObject({ id: 'c' });
  });

  it.each([
    [{}],
    [{ url: '' }],
    [{ url: 'http://8.8.8.8/' }],
    [{ url: 'https://10.0.0.1/' }],
    [{ url: 'https://169.254.169.254/latest/meta-data' }],
    [{ url: 'https://[::1]/' }],
    [{ url: 'https://[::ffff:10.0.0.1]/' }],
    [{ url: 'https://0x0a000001/' }],
    [{ url: 'https://user:pass@8.8.8.8/' }],
    [{ url: 'ftp://8.8.8.8/' }],
    [{ url: URL_OK, id: 'no.dots' }],
    [{ url: URL_OK, authentication: { credentials: 'x' } }],
    [{ url: URL_OK, authentication: { scheme: 'Bearer', credentials: 'x\r\nX: y' } }],
    [{ url: URL_OK, token: 'x\r\nX: y' }],
  ])('%j is refused', async (config) => {
    const answer = await binding.create(await waitingTask(), config);
    expect(binding.code(answer)).toBe(-32602);
  });

  it('is one of at most ten, and replaces the one of its id', async () => {
    const taskId = await waitingTask();
    for (let i = 0; i < 10; i++) await binding.create(taskId, { id: `c${i}`, url: URL_OK });
    expect(binding.code(await binding.create(taskId, { url: URL_OK }))).toBe(-32602);
    const moved = { id: 'c4', url: 'https://8.8.4.4/' };
    expect(binding.result(await binding.create(taskId, moved))).toMatchObject(moved);
    const { configs } = binding.result(await binding.list(taskId)) as { configs: { url: string }[] };
    expect([configs.length, configs[4]?.url]).toEqual([10, moved.url]);
  });

  it('is listed in pages', async () => {
    const taskId = await waitingTask();
    for (const id of ['a', 'b', 'c']) await binding.create(taskId, { id, url: URL_OK });
    type Page = { configs: { id: string }[]; nextPageToken?: string };
    const first = binding.result(await binding.list(taskId, { pageSize: 2 })) as Page;
    expect(first.configs.map(({ id }) => id)).toEqual(['a', 'b']);
    const rest = binding.result(
      await binding.list(taskId, { pageSize: 2, pageToken: first.nextPageToken ?? '' }),
    ) as Page;
    expect([rest.configs.map(({ id }) => id), rest.nextPageToken]).toEqual([['c'], undefined]);
    expect(binding.code(await binding.list(taskId, { pageToken: 'made-up' }))).toBe(-32602);
  });

  it('can be registered with a finished task, which has nothing more to tell', async () => {
    const taskId = (await server.rpc('SendMessage', sendParams('hi'))).json.result.task.id;
    const before = (await server.rpc('GetTask', { id: taskId })).json.result;
    await binding.create(taskId, { id: 'late', url: receiver.url(`/late-${_name}`) });
    expect(binding.result(await binding.get(taskId, 'late'))).toMatchObject({ id: 'late' });
    expect((await server.rpc('GetTask', { id: taskId })).json.result).toEqual(before);
    expect((await binding.delete(taskId, 'late')).status).toBeLessThan(300);
  });
});

describe('a push notification config', () => {
  it('is created and deleted with 200, and a deletion returns an empty object', async () => {
    const taskId = await waitingTask();
    expect((await rest.create(taskId, { id: 'c', url: URL_OK })).status).toBe(200);
    const gone = await rest.delete(taskId, 'c');
    expect([gone.status, gone.text, gone.headers.get('content-type')]).toEqual([200, '{}', 'application/a2a+json']);
    expect((await rpc.delete(taskId, 'c')).json.result).toEqual({});
    expect((await rest.delete('none', 'c')).json.error.details[0].reason).toBe('TASK_NOT_FOUND');
    const missing = await rest.get(taskId, 'c');
    expect([missing.status, missing.json.error.details[0].metadata]).toEqual([404, { pushConfigId: 'c' }]);
  });

  it('is read in the spelling of the proto, and its task is the one of the path', async () => {
    const [taskId, other] = [await waitingTask(), await waitingTask()];
    const answer = await rpc.create(undefined as never, { task_id: taskId, url: URL_OK });
    expect(answer.json.result.taskId).toBe(taskId);
    const created = await rest.create(taskId, { taskId: other, task_id: other, id: 'c', url: URL_OK });
    expect(created.json).toMatchObject({ taskId, id: 'c' });
    expect((await rpc.get(other, 'c')).json.error.code).toBe(-32001);
  });

  it('survives a restart', async () => {
    const taskId = await waitingTask();
    await rpc.create(taskId, { id: 'kept', url: URL_OK });
    await rpc.create(taskId, { id: 'gone', url: URL_OK });
    await rpc.delete(taskId, 'gone');
    await server.restart();
    expect((await rpc.list(taskId)).json.result.configs.map(({ id }: { id: string }) => id)).toEqual(['kept']);
  });

  it('is offered in the cards', async () => {
    for (const path of ['/.well-known/agent-card.json', '/agents/alpha/.well-known/agent-card.json']) {
      expect((await server.send('GET', path)).json.capabilities.pushNotifications).toBe(true);
    }
  });
});

describe('without a sender', () => {
  const silent = useBridgeServer();
  it('nothing about push notifications is offered or accepted', async () => {
    const { core } = silent.switchboard;
    core.capabilities.has = () => false;
    const { id } = (await silent.rpc('SendMessage', sendParams('ask x'))).json.result.task;
    const params = { taskId: id, id: 'c', url: URL_OK };
    for (const verb of ['Create', 'Get', 'Delete']) {
      expect((await silent.rpc(`${verb}TaskPushNotificationConfig`, params)).json.error.code).toBe(-32003);
    }
    expect((await silent.rpc('ListTaskPushNotificationConfigs', params)).json.error.code).toBe(-32003);
    const path = `/a2a/tasks/${id}/pushNotificationConfigs`;
    const answers = [
      await silent.send('POST', path, { body: params }),
      await silent.send('GET', path),
      await silent.send('GET', `${path}/c`),
      await silent.send('DELETE', `${path}/c`),
    ];
    for (const { status, json } of answers) {
      expect([status, json.error.details[0].reason]).toEqual([400, 'PUSH_NOTIFICATION_NOT_SUPPORTED']);
    }
    const inline = sendParams('hi', {}, { taskPushNotificationConfig: { url: URL_OK } });
    const before = (await silent.rpc('ListTasks', {})).json.result.totalSize;
    expect((await silent.rpc('SendMessage', inline)).json.error.code).toBe(-32003);
    expect((await silent.rpc('ListTasks', {})).json.result.totalSize).toBe(before);
    expect((await silent.send('GET', '/.well-known/agent-card.json')).json.capabilities.pushNotifications).toBeFalsy();
  });
});
