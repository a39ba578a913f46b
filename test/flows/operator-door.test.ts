import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CallersAnswer, MintedKey, RemovedKeys } from '../../src/caller-wire.js';
import { OperatorServer } from '../support/operator-server.js';
import { OPERATOR_KEY } from '../support/test-home.js';

describe('the door of the operator API', () => {
  it.each<Record<string, string>>([
    {},
    { 'X-API-Key': 'wrong' },
    { 'X-API-Key': 'key-of-ann-in-a-test' },
    { Authorization: 'Bearer nope' },
  ])('stays shut for %j, on every route', async (headers) => {
    const server = await OperatorServer.start();
    const routes = ['POST /chat', 'POST /delegate', 'POST /input', 'GET /task/x', 'POST /task/x/cancel'];
    const lists = [
      'GET /agents',
      'GET /callers',
      'GET /tasks',
      'GET /sessions',
      'POST /callers',
      'DELETE /callers/a/b',
    ];
    for (const route of [...routes, ...lists, 'PUT /chat']) {
      const [method = '', path] = route.split(' ');
      const { status, body, headers: got } = await server.call(method, `/api/a2a${path}`, undefined, headers);
      expect({ route, status, code: body.error?.code }).toEqual({ route, status: 401, code: 'unauthenticated' });
      expect(got.get('www-authenticate')).toContain('Bearer');
    }
    expect((await server.call('GET', '/api/openapi.json', undefined, headers)).status).toBe(401);
  });

  it('opens for the key in either header', async () => {
    const server = await OperatorServer.start();
    const either: Record<string, string>[] = [
      { 'X-API-Key': OPERATOR_KEY },
      { Authorization: `Bearer ${OPERATOR_KEY}` },
    ];
    for (const headers of either) {
      expect((await server.call('GET', '/api/a2a/agents', undefined, headers)).status).toBe(200);
    }
  });

  it.each<[string, string, number, string]>([
    ['not JSON', '{"message": ', 400, 'parse-error'],
    ['no object', '[]', 400, 'invalid-params'],
    ['no message', '{"agent": "demo"}', 400, 'invalid-params'],
    ['message and parts', '{"message": "a", "parts": [{"text": "b"}]}', 400, 'invalid-params'],
    ['an empty message', '{"message": ""}', 400, 'invalid-params'],
    ['a part of two kinds', '{"parts": [{"text": "a", "raw": "AA=="}]}', 400, 'invalid-params'],
    ['bad base64', '{"agent": "demo", "parts": [{"raw": "%"}]}', 400, 'invalid-params'],
    [
      'a file by address',
      '{"agent": "demo", "parts": [{"url": "https://a.example"}]}',
      400,
      'content-type-not-supported',
    ],
    ['a context with a path', '{"message": "a", "contextId": "../x"}', 400, 'invalid-params'],
    ['a wrong type', '{"message": 1}', 400, 'invalid-params'],
    ['a negative wait', '{"message": "a", "waitSeconds": -1}', 400, 'invalid-params'],
    ['an unknown agent', '{"message": "a", "agent": "nobody"}', 404, 'agent-not-found'],
    ['an unknown task', '{"message": "a", "taskId": "never-was"}', 404, 'task-not-found'],
  ])('refuses %s and creates nothing', async (_what, body, status, code) => {
    const server = await OperatorServer.start();
    const answer = await server.post('/chat', body);
    expect({ status: answer.status, code: answer.body.error?.code }).toEqual({ status, code });
    expect((await server.get<{ total: number }>('/tasks')).body.total).toBe(0);
  });

  it('lists every problem of a request at once', async () => {
    const server = await OperatorServer.start();
    const { body } = await server.post('/chat', { message: 1, contextId: '/', waitSeconds: -1 });
    expect(body.error?.violations?.map(({ field }) => field)).toEqual(['message', 'contextId', 'waitSeconds']);
  });

  it('answers in JSON where there is no route or another method', async () => {
    const server = await OperatorServer.start();
    expect(await server.get('/nothing')).toMatchObject({ status: 404, body: { error: { code: 'not-found' } } });
    const put = await server.call('PUT', '/api/a2a/chat');
    expect(put).toMatchObject({ status: 405, body: { error: { code: 'method-not-allowed' } } });
    expect(put.headers.get('allow')).toBe('POST');
    expect(await server.get('/task/%E0%A4%A')).toMatchObject({ status: 400 });
  });

  it('serves its own description', async () => {
    const server = await OperatorServer.start();
    const { body } = await server.call<{ paths: object }>('GET', '/api/openapi.json');
    expect(Object.keys(body.paths)).toContain('/api/a2a/task/{cid}');
  });
});

describe('Idempotency-Key', () => {
  const key = { 'Idempotency-Key': 'once-1' };

  it('answers a repeated chat with the same task, also after a restart', async () => {
    const before = await OperatorServer.start();
    const request = { agent: 'demo', message: 'hello' };
    const first = await before.post('/chat', request, key);
    const second = await before.post('/chat', request, key);
    expect(second).toMatchObject({ status: 200, body: { cid: first.body.cid, response: 'echo: hello' } });
    expect((await before.post('/delegate', request, key)).body.cid).toBe(first.body.cid);
    const after = await before.restart();
    expect((await after.post('/chat', request, key)).body.cid).toBe(first.body.cid);
    expect((await after.get<{ total: number }>('/tasks')).body.total).toBe(1);
  });

  it('is refused for another message or another agent', async () => {
    const server = await OperatorServer.start();
    await server.post('/chat', { agent: 'demo', message: 'hello' }, key);
    for (const other of [
      { agent: 'demo', message: 'bye' },
      { agent: 'manual', message: 'hello' },
    ]) {
      expect(await server.post('/chat', other, key)).toMatchObject({
        status: 400,
        body: { error: { code: 'invalid-params' } },
      });
    }
  });

  it('mints one key for a repeated request', async () => {
    const server = await OperatorServer.start();
    const first = await server.post<MintedKey>('/callers', { workspace: 'demo', name: 'bob' }, key);
    const second = await server.post<MintedKey>('/callers', { workspace: 'demo', name: 'bob' }, key);
    expect(first.status).toBe(201);
    expect(second.body).toEqual(first.body);
  });

  it('answers a question once', async () => {
    const server = await OperatorServer.start();
    const { cid } = (await server.chat('ask why?')).body;
    const first = await server.post('/input', { cid, answer: 'because' }, key);
    const second = await server.post('/input', { cid, answer: 'because' }, key);
    expect([first.body, second.status, second.body]).toEqual([second.body, 200, first.body]);
  });
});

describe('callers', () => {
  const works = async (server: OperatorServer, key: string): Promise<boolean> => {
    const call = { jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} };
    return (await server.call('POST', '/a2a', call, { 'X-API-Key': key, 'A2A-Version': '1.0' })).status === 200;
  };

  it('are added, rotated and removed, and their keys shown once', async () => {
    const server = await OperatorServer.start();
    const made = await server.post<MintedKey>('/callers', { workspace: 'demo', name: 'bob', note: 'a friend' });
    expect(made).toMatchObject({ status: 201, body: { id: 'demo/bob' } });
    expect(await works(server, made.body.key)).toBe(true);

    const further = await server.post<MintedKey>('/callers/demo/bob/keys', {});
    expect([await works(server, made.body.key), await works(server, further.body.key)]).toEqual([true, true]);
    const { body } = await server.get<CallersAnswer>('/callers?workspace=demo');
    const bob = body.callers.find(({ name }) => name === 'bob');
    expect(bob).toMatchObject({ id: 'demo/bob', note: 'a friend', liveTasks: 0 });
    expect(bob?.keys.map(({ hint }) => hint)).toEqual([made.body.key.slice(-4), further.body.key.slice(-4)]);
    expect(JSON.stringify(body)).not.toContain(made.body.key);

    const removed = await server.call<RemovedKeys>('DELETE', '/api/a2a/callers/demo/bob/keys');
    expect(removed.body).toEqual({ id: 'demo/bob', removed: 1 });
    expect([await works(server, made.body.key), await works(server, further.body.key)]).toEqual([false, true]);
    expect(await server.call('DELETE', '/api/a2a/callers/demo/bob')).toMatchObject({ status: 200 });
    expect(await works(server, further.body.key)).toBe(false);
  });

  it('are refused when they exist, have no workspace, or a bad name', async () => {
    const server = await OperatorServer.start();
    expect(await server.post('/callers', { workspace: 'demo', name: 'ann' })).toMatchObject({ status: 400 });
    expect(await server.post('/callers', { workspace: 'nowhere', name: 'bob' })).toMatchObject({ status: 404 });
    expect(await server.post('/callers', { workspace: 'demo', name: 'operator' })).toMatchObject({ status: 400 });
    expect(await server.call('DELETE', '/api/a2a/callers/demo/nobody')).toMatchObject({ status: 404 });
  });
});

describe('health', () => {
  it('is open to probes, without details', async () => {
    const server = await OperatorServer.start();
    expect((await server.call('GET', '/healthz', undefined, {})).body).toEqual({ status: 'ok' });
    expect((await server.call('GET', '/readyz', undefined, {})).body).toEqual({ status: 'ready' });
  });

  it('tells the operator what is wrong with owners’ files, and stays ready', async () => {
    const server = await OperatorServer.start();
    const folder = join(server.home.path, 'workspaces', 'broken', '.a2a');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'workspace.json'), '{"v": 1, ');
    const { status, body } = await server.call<{ status: string; problems: object[] }>('GET', '/readyz');
    expect({ status, ready: body.status }).toEqual({ status: 200, ready: 'ready' });
    expect(body.problems).toEqual([expect.objectContaining({ workspace: 'broken', file: 'workspace.json' })]);
  });

  it('refuses details to a wrong key', async () => {
    const server = await OperatorServer.start();
    expect((await server.call('GET', '/readyz', undefined, { 'X-API-Key': 'wrong' })).status).toBe(401);
  });
});
