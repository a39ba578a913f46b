// What any client may do to the A2A surface and gets in return, on the wire.
import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { IDEMPOTENT_SEND } from '../../src/extension-uris.js';
import { bindings } from '../conformance/a2a/binding.js';
import { frames, KEYS, sendParams, useBridgeServer, type Answer } from '../surfaces/a2a-bridge/bridge-server.js';

const server = useBridgeServer();

const send = async (text: string, options: Parameters<typeof server.rpc>[2] = {}, configuration?: unknown) =>
  (await server.rpc('SendMessage', sendParams(text, {}, configuration), options)).json.result.task;

/** What can be seen of an answer, with the ids in it taken out. */
const visible = ({ status, headers, text }: Answer, ...ids: string[]): unknown => {
  const shown = Object.fromEntries([...headers].filter(([name]) => name !== 'date' && name !== 'x-request-id'));
  return [status, shown, ids.reduce((rest, id) => rest.replaceAll(id, '<id>'), text)];
};

describe('a foreign task', () => {
  const unknown = '0'.repeat(36);
  const operations: [string, (id: string) => Promise<Answer>][] = [
    ['GetTask', (id) => server.rpc('GetTask', { id })],
    ['CancelTask', (id) => server.rpc('CancelTask', { id })],
    ['SubscribeToTask', (id) => server.rpc('SubscribeToTask', { id })],
    ['SendMessage', (id) => server.rpc('SendMessage', sendParams('x', { taskId: id }))],
    ['SendStreamingMessage', (id) => server.rpc('SendStreamingMessage', sendParams('x', { taskId: id }))],
    ['GetTaskPushNotificationConfig', (id) => server.rpc('GetTaskPushNotificationConfig', { taskId: id, id: 'c' })],
    ['GET a task', (id) => server.send('GET', `/a2a/tasks/${id}`)],
    ['cancel over REST', (id) => server.send('POST', `/a2a/tasks/${id}:cancel`)],
    ['subscribe over REST', (id) => server.send('GET', `/a2a/tasks/${id}:subscribe`)],
    ['send over REST', (id) => server.send('POST', '/a2a/message:send', { body: sendParams('x', { taskId: id }) })],
    ['webhooks over REST', (id) => server.send('GET', `/a2a/tasks/${id}/pushNotificationConfigs`)],
  ];

  it.each(operations)('answers %s exactly like an unknown one', async (_name, operation) => {
    const ofAnn = await send('ask x', { key: KEYS.ann });
    const ofNamesake = await send('ask x', { key: KEYS.betaBob });
    const expected = visible(await operation(unknown), unknown);
    expect(visible(await operation(ofAnn.id), ofAnn.id)).toEqual(expected);
    expect(visible(await operation(ofNamesake.id), ofNamesake.id)).toEqual(expected);
  });

  it("is in nobody else's list, and equal context ids are two conversations", async () => {
    const contextId = 'shared-context';
    for (const key of [KEYS.ann, KEYS.bob]) await server.rpc('SendMessage', sendParams('hi', { contextId }), { key });
    for (const key of [KEYS.ann, KEYS.bob]) {
      expect((await server.rpc('ListTasks', { contextId }, { key })).json.result.totalSize).toBe(1);
    }
    expect((await server.rpc('ListTasks', { contextId }, { key: KEYS.eve })).json.result).toEqual({
      tasks: [],
      nextPageToken: '',
      pageSize: 50,
      totalSize: 0,
    });
  });

  it("can't be reached with its owner's page token", async () => {
    for (let i = 0; i < 2; i++) await send('hi', { key: KEYS.ann });
    const { nextPageToken } = (await server.rpc('ListTasks', { pageSize: 1 }, { key: KEYS.ann })).json.result;
    expect(nextPageToken).not.toBe('');
    expect((await server.rpc('ListTasks', { pageToken: nextPageToken })).json.error.code).toBe(-32602);
    const filtered = { pageToken: nextPageToken, status: 'TASK_STATE_FAILED' };
    expect((await server.rpc('ListTasks', filtered, { key: KEYS.ann })).json.error.code).toBe(-32602);
  });
});

describe('addressing an agent', () => {
  it("works by path, by tenant in every place, and keeps the agents' tasks apart", async () => {
    const key = KEYS.eve;
    const task = await send('hi', { key, path: '/agents/beta/a2a' });
    const seen = async (method: string, path: string, body?: unknown): Promise<number> =>
      (await server.send(method, path, { key, body })).status;
    expect(await seen('GET', `/agents/beta/a2a/tasks/${task.id}`)).toBe(200);
    expect(await seen('GET', `/a2a/beta/tasks/${task.id}`)).toBe(200);
    expect(await seen('GET', `/a2a/tasks/${task.id}?tenant=beta`)).toBe(200);
    expect(await seen('GET', `/a2a/tasks/${task.id}`)).toBe(404);
    expect((await server.rpc('GetTask', { id: task.id, tenant: 'beta' }, { key })).json.result.id).toBe(task.id);
    const body = { tenant: 'beta', ...(sendParams('hi') as object) };
    const { json } = await server.send('POST', '/a2a/message:send', { key, body });
    expect(await seen('GET', `/agents/beta/a2a/tasks/${json.task.id}`)).toBe(200);
  });

  it.each([['unknown'], ['hidden'], ['beta'], ['Bad..Name'], ['operator']])(
    'that is unknown, hidden or not permitted (%s) is the same 404 by path',
    async (name) => {
      const expected = visible(await server.rpc('ListTasks', {}, { path: '/agents/nobody/a2a' }));
      expect(visible(await server.rpc('ListTasks', {}, { path: `/agents/${name}/a2a` }))).toEqual(expected);
      expect((await server.send('GET', `/agents/${name}/a2a/tasks`)).status).toBe(404);
    },
  );

  it.each(['unknown', 'hidden', 'beta'])(
    "by a tenant that can't be used (%s) looks like a missing task",
    async (tenant) => {
      expect((await server.rpc('GetTask', { id: 'x', tenant })).json.error.code).toBe(-32001);
      expect((await server.rpc('ListTasks', { tenant })).json.error.code).toBe(-32602);
      expect((await server.rpc('SendMessage', { tenant, ...(sendParams('x') as object) })).json.error.code).toBe(
        -32602,
      );
    },
  );

  it('in two ways that differ is refused', async () => {
    const path = '/agents/alpha/a2a';
    expect((await server.rpc('ListTasks', { tenant: 'beta' }, { path })).json.error.code).toBe(-32602);
    expect((await server.rpc('ListTasks', { tenant: 'alpha' }, { path })).json.result.tasks).toBeDefined();
    expect((await server.send('GET', '/a2a/alpha/tasks?tenant=beta', { key: KEYS.eve })).status).toBe(400);
  });
});

describe('a stream', () => {
  it('numbers its events, and replays from the last one seen, terminal event included', async () => {
    const { text, headers } = await server.rpc('SendStreamingMessage', sendParams('stream 3'));
    expect(headers.get('content-type')).toBe('text/event-stream');
    const seen = frames(text);
    const task = (seen[0]?.event as { result?: { task?: { id: string } } }).result?.task;
    expect(task).toBeDefined();
    const cut = 3;
    const replay = await server.rpc(
      'SubscribeToTask',
      { id: task?.id },
      { headers: { 'Last-Event-ID': seen[cut]?.id ?? '' } },
    );
    expect(frames(replay.text)).toEqual(seen.slice(cut + 1));
  });

  it('of an ended task is refused without a position, with a foreign one, and after the last event', async () => {
    const { text } = await server.rpc('SendStreamingMessage', sendParams('hi'));
    const seen = frames(text);
    const id = (seen[0]?.event as { result?: { task?: { id: string } } }).result?.task?.id;
    for (const last of [undefined, 'other.1', seen.at(-1)?.id]) {
      const headers: Record<string, string> = last === undefined ? {} : { 'Last-Event-ID': last };
      const answer = await server.rpc('SubscribeToTask', { id }, { headers });
      expect(answer.headers.get('content-type')).toBe('application/json');
      expect(answer.json).toMatchObject({ id: 7, error: { code: -32004 } });
    }
  });

  it('stays open while the task waits for its caller, also when another connection answers', async () => {
    const streaming = server.rpc('SendStreamingMessage', sendParams('ask colour'));
    let asked: { id: string } | undefined;
    while (!asked) {
      const { tasks } = (await server.rpc('ListTasks', { status: 'TASK_STATE_INPUT_REQUIRED', pageSize: 1 })).json
        .result;
      asked = tasks[0];
    }
    const answer = await server.rpc('SendMessage', sendParams('red', { taskId: asked.id }));
    expect(answer.json.result.task.status.state).toBe('TASK_STATE_COMPLETED');
    const states = frames((await streaming).text).map(
      ({ event }) =>
        (event as { result: { statusUpdate?: { status: { state: string } } } }).result.statusUpdate?.status.state,
    );
    expect(states).toContain('TASK_STATE_INPUT_REQUIRED');
    expect(states.at(-1)).toBe('TASK_STATE_COMPLETED');
  });

  it("that can't start is a plain error in the binding's shape", async () => {
    const rpc = await server.rpc('SendStreamingMessage', sendParams('x', { taskId: 'nope' }));
    expect([rpc.status, rpc.headers.get('content-type'), rpc.json.error.code]).toEqual([
      200,
      'application/json',
      -32001,
    ]);
    const rest = await server.send('POST', '/a2a/message:stream', { body: sendParams('x', { taskId: 'nope' }) });
    expect([rest.status, rest.json.error.details[0].reason]).toEqual([404, 'TASK_NOT_FOUND']);
  });
});

describe('sending', () => {
  it('twice under one message id gives one task', async () => {
    const params = sendParams('once');
    const [first, second] = [await server.rpc('SendMessage', params), await server.rpc('SendMessage', params)];
    expect(second.json.result.task.id).toBe(first.json.result.task.id);
    const streamed = frames((await server.rpc('SendStreamingMessage', params)).text);
    expect(streamed).toHaveLength(1);
  });

  it('with returnImmediately answers with the committed task', async () => {
    const task = await send('wait 50', {}, { returnImmediately: true });
    expect(['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING']).toContain(task.status.state);
    expect((await server.rpc('GetTask', { id: task.id })).json.result.id).toBe(task.id);
  });

  it('shows as much history as was asked for', async () => {
    expect((await send('hi', {}, { historyLength: 0 })).history).toBeUndefined();
    expect((await send('hi', {}, { historyLength: 1 })).history).toHaveLength(1);
    expect((await send('hi')).history.length).toBeGreaterThan(1);
  });

  it("to another context than the task's changes nothing", async () => {
    const task = await send('ask x');
    const { json } = await server.rpc('SendMessage', sendParams('y', { taskId: task.id, contextId: 'other' }));
    expect(json.error.code).toBe(-32602);
    expect((await server.rpc('GetTask', { id: task.id })).json.result).toEqual(task);
  });

  it('as a notification is carried out without an answer', async () => {
    const params = sendParams('quietly', { contextId: 'notified' });
    const { status, text } = await server.send('POST', '/a2a', {
      body: { jsonrpc: '2.0', method: 'SendMessage', params },
    });
    expect([status, text]).toEqual([204, '']);
    let total = 0;
    while (total === 0) total = (await server.rpc('ListTasks', { contextId: 'notified' })).json.result.totalSize;
    expect(total).toBe(1);
  });

  it('canceling twice returns the canceled task twice', async () => {
    const task = await send('ask x');
    for (let i = 0; i < 2; i++) {
      expect((await server.rpc('CancelTask', { id: task.id })).json.result.status.state).toBe('TASK_STATE_CANCELED');
    }
  });
});

describe('the surface', () => {
  it.each([
    ['no key', { key: '' }, 401],
    ['a wrong key', { key: 'wrong' }, 401],
    ['no JSON type', { headers: { 'Content-Type': 'text/plain' } }, 415],
  ])('refuses %s with the HTTP status and a JSON-RPC error', async (_name, options, status) => {
    const answer = await server.rpc('ListTasks', {}, options);
    expect(answer.status).toBe(status);
    expect(answer.json).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: expect.any(Number) } });
  });

  it.each([
    ['{', -32700, null],
    ['{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"x":9007199254740993}}', -32602, 1],
    ['{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{},"params":{}}', -32602, 1],
    [`{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":${'['.repeat(10_000)}`, -32600, null],
    ['[{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{}}]', -32600, null],
    ['{"jsonrpc":"2.0","id":{},"method":"ListTasks","params":{}}', -32600, null],
    ['{"jsonrpc":"2.0","id":"a","method":"tasks/get","params":{}}', -32601, 'a'],
    ['{"jsonrpc":"2.0","id":0,"method":"GetTask","params":{}}', -32602, 0],

    ['{"jsonrpc":"2.0","id":0,"method":"CreateTaskPushNotificationConfig","params":{}}', -32602, 0],
  ])('answers %.60s with code %i', async (body, code, id) => {
    const { json } = await server.send('POST', '/a2a', { body });
    expect(json).toMatchObject({ jsonrpc: '2.0', id, error: { code } });
    for (const detail of json.error.data) expect(detail['@type']).toMatch(/^type\.googleapis\.com\//);
  });

  it.each(['0.2', '2.0', '99.0'])('speaks no version but 1.0 and 0.3 (asked: "%s")', async (version) => {
    const headers = { 'A2A-Version': version };
    expect((await server.rpc('ListTasks', {}, { headers })).json.error.code).toBe(-32009);
    expect((await server.send('GET', '/a2a/tasks', { headers })).json.error.details[0].reason).toBe(
      'VERSION_NOT_SUPPORTED',
    );
  });

  it.each(['', '0.3'])('tells who asks for 1.0 in the words of 0.3 what is missing (asked: "%s")', async (version) => {
    const headers = { 'A2A-Version': version };
    const { error } = (await server.rpc('ListTasks', {}, { headers })).json;
    expect([error.code, error.message]).toEqual([-32601, expect.stringContaining('A2A-Version: 1.0')]);
    const rest = await server.send('GET', '/a2a/tasks', { headers });
    expect([rest.status, rest.json.code, rest.json.message]).toEqual([404, -32601, expect.stringContaining('1.0')]);
    expect((await server.send('GET', '/a2a/tasks?A2A-Version=1.0', { headers: { 'A2A-Version': '' } })).status).toBe(
      200,
    );
  });

  it('says 404 and 405 in the shape of the binding', async () => {
    const get = await server.send('GET', '/a2a');
    expect([get.status, get.headers.get('allow'), get.json.jsonrpc]).toEqual([405, 'POST', '2.0']);
    const put = await server.send('PUT', '/a2a/tasks/x', { body: {} });
    expect([put.status, put.headers.get('allow'), put.json.error.code]).toEqual([405, 'GET', 405]);
    expect((await server.send('GET', '/a2a/nothing')).json.error.status).toBe('NOT_FOUND');
  });

  it('tells a client that its extension is in force', async () => {
    const uri = 'urn:a2a-switchboard:ext:idempotent-send:v1';
    const { headers } = await server.rpc('ListTasks', {}, { headers: { 'A2A-Extensions': `${uri}, urn:other` } });
    expect(headers.get('a2a-extensions')).toBe(uri);
  });
});

describe('a refused message', () => {
  it('leaves no file behind, while one that is sent again keeps its own', async () => {
    const { blobs } = server.switchboard.core;
    const nameOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
    const [kept, refused] = [Buffer.from('kept bytes'), Buffer.from('refused bytes')];
    const sendFile = (bytes: Buffer): Promise<Answer> =>
      server.rpc(
        'SendMessage',
        sendParams('', { messageId: 'with-a-file', parts: [{ raw: bytes.toString('base64') }] }),
      );
    expect((await sendFile(kept)).json.result).toBeDefined();
    expect((await sendFile(refused)).json.error.code).toBe(-32602);
    expect((await sendFile(kept)).json.result).toBeDefined();
    expect([blobs.read('alpha', nameOf(kept)), blobs.read('alpha', nameOf(refused))]).toEqual([kept, undefined]);
  });
});

describe('a key that is for one agent alone', () => {
  const solo = useBridgeServer({ grpcPort: 0 });

  it('means that agent where a request names none, over every binding', async () => {
    const callers = [
      { name: 'solo', key: 'key-of-solo', agents: ['beta'] },
      { name: 'pair', key: 'key-of-pair', agents: ['beta', 'gamma'] },
    ];
    solo.write('alpha', 'callers.json', { v: 1, callers });
    for (const binding of bindings(solo)) {
      const { result } = await binding.call('SendMessage', sendParams('hi'), { key: 'key-of-solo' });
      const [own, named] = [{}, { tenant: 'beta' }];
      for (const params of [own, named]) {
        const { tasks } = (await binding.call('ListTasks', params, { key: 'key-of-solo' })).result;
        expect(tasks.map(({ id }: { id: string }) => id)).toContain(result.task.id);
      }
      // Nobody says which of two is meant, and the key's own workspace is none of them.
      expect((await binding.call('ListTasks', {}, { key: 'key-of-pair' })).error?.reason).toBe('INVALID_PARAMS');
      expect((await binding.call('ListTasks', { tenant: 'alpha' }, { key: 'key-of-solo' })).error).toBeDefined();
    }
  });
});

describe('where sends are not idempotent', () => {
  const lax = useBridgeServer({ idempotentSend: false, requiredExtensions: [IDEMPOTENT_SEND] });
  const once = (text: string): Promise<Answer> => lax.rpc('SendMessage', sendParams(text, { messageId: 'always' }));

  it('each message is another task, whatever its id, and no card says otherwise', async () => {
    const ids = [];
    for (const text of ['hi', 'hi', 'ho']) ids.push((await once(text)).json.result.task.id);
    expect(new Set(ids).size).toBe(3);
    expect((await lax.rpc('ListTasks', {})).json.result.totalSize).toBe(3);
    const { json } = await lax.send('GET', '/.well-known/agent-card.json');
    expect(json.capabilities.extensions ?? []).toEqual([]);
    const named = await lax.rpc('ListTasks', {}, { headers: { 'A2A-Extensions': IDEMPOTENT_SEND } });
    expect(named.headers.get('a2a-extensions')).toBeNull();
  });

  it('an answer may come under the id of the message that it answers', async () => {
    const { task } = (await lax.rpc('SendMessage', sendParams('ask why', { messageId: 'same' }))).json.result;
    const answer = sendParams('because', { messageId: 'same', taskId: task.id });
    expect((await lax.rpc('SendMessage', answer)).json.result.task.status.state).toBe('TASK_STATE_COMPLETED');
  });
});

describe('cards', () => {
  it('are conditional and cacheable', async () => {
    const first = await server.send('GET', '/.well-known/agent-card.json', { key: '' });
    expect(first.json.supportedInterfaces[0].url).toBe(`${server.url}/a2a`);
    expect(first.headers.get('cache-control')).toContain('max-age=');
    expect(first.headers.get('vary')).toContain('A2A-Version');
    const again = await server.send('GET', '/.well-known/agent-card.json', {
      key: '',
      headers: { 'If-None-Match': `"x", ${first.headers.get('etag')}` },
    });
    expect([again.status, again.text]).toEqual([304, '']);
  });

  it('without a key are the same 401, whether protected, hidden or unknown', async () => {
    const card = (name: string): Promise<Answer> =>
      server.send('GET', `/agents/${name}/.well-known/agent-card.json`, { key: '' });
    expect((await card('alpha')).json.name).toBe('alpha');
    const [unknown, ...others] = await Promise.all(['unknown', 'hidden', 'private', 'NO%20NAME'].map(card));
    expect(unknown?.status).toBe(401);
    for (const other of others) expect(visible(other)).toEqual(visible(unknown as Answer));
  });

  it('with a key are the same 404, whether protected, hidden or unknown', async () => {
    const card = (name: string): Promise<Answer> => server.send('GET', `/agents/${name}/.well-known/agent-card.json`);
    const [unknown, ...others] = await Promise.all(['unknown', 'hidden', 'private'].map(card));
    expect(unknown?.status).toBe(404);
    for (const other of others) expect(visible(other)).toEqual(visible(unknown as Answer));
  });

  it('that are not public are for those who may use the agent', async () => {
    const path = '/agents/private/.well-known/agent-card.json';
    expect((await server.send('GET', path, { key: '' })).status).toBe(401);
    expect((await server.send('GET', path)).status).toBe(404);
    const own = await server.send('GET', path, { key: KEYS.pia });
    expect([own.status, own.headers.get('cache-control')]).toEqual([200, 'private, max-age=60']);
  });
});
