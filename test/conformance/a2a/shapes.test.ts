// What is special about each binding, and what both have in common on the wire.
import { describe, expect, it, jest } from '@jest/globals';
import { frames, KEYS, sendParams, useBridgeServer } from '../../surfaces/a2a-bridge/bridge-server.js';
import type { Any } from './binding.js';
import { bindings } from './binding.js';

const server = useBridgeServer({ grpcPort: 0 });
const post = (body: unknown, headers: Record<string, string> = {}) => server.send('POST', '/a2a', { body, headers });
const call = (method: string, params: unknown, id: unknown = 1) => post({ jsonrpc: '2.0', id, method, params });

const METHODS = [
  'SendMessage',
  'SendStreamingMessage',
  'GetTask',
  'ListTasks',
  'CancelTask',
  'SubscribeToTask',
  'CreateTaskPushNotificationConfig',
  'GetTaskPushNotificationConfig',
  'ListTaskPushNotificationConfigs',
  'DeleteTaskPushNotificationConfig',
  'GetExtendedAgentCard',
];

describe('JSON-RPC', () => {
  it('[59] A response is JSON-RPC 2.0 and repeats the id with its type. (§9.3)', async () => {
    for (const id of [7, '7', 'x', 0, null]) {
      expect((await call('ListTasks', {}, id)).json).toMatchObject({ jsonrpc: '2.0', id });
      expect((await call('GetTask', { id: 'x' }, id)).json).toMatchObject({ jsonrpc: '2.0', id });
    }
  });

  it('[60] Requests and responses are application/json. (§9.1)', async () => {
    expect((await call('ListTasks', {})).headers.get('content-type')).toBe('application/json');
    expect((await call('GetTask', { id: 'x' })).headers.get('content-type')).toBe('application/json');
    expect((await post('{}', { 'Content-Type': 'text/plain' })).status).toBe(415);
    const charset = { 'Content-Type': 'Application/JSON; charset=UTF-8' };
    const body = { jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} };
    expect((await post(body, charset)).json.result.tasks).toBeDefined();
  });

  it('[61] Exactly the eleven methods of 1.0 are known. (§9.1, §5.3)', async () => {
    for (const method of METHODS) expect((await call(method, {})).json.error?.code).not.toBe(-32601);
    for (const method of ['message/send', 'sendMessage', 'ListTask', 'toString', 'tasks/list']) {
      expect((await call(method, {})).json.error.code).toBe(-32601);
    }
  });

  it('[62] A send wraps its task, a read and a cancel return it bare. (§9.4.1)', async () => {
    const { task } = (await call('SendMessage', sendParams('ask what'))).json.result;
    expect((await call('GetTask', { id: task.id })).json.result.id).toBe(task.id);
    expect((await call('CancelTask', { id: task.id })).json.result.id).toBe(task.id);
  });

  it('[63] Each event of a stream is a whole response with the id of the request. (§9.4.2)', async () => {
    const { status, headers, text } = await call('SendStreamingMessage', sendParams('stream 2'), 'abc');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    const events = frames(text).map(({ event }) => event as Any);
    expect(events.length).toBeGreaterThan(2);
    for (const event of events) {
      expect(event).toMatchObject({ jsonrpc: '2.0', id: 'abc' });
      expect(Object.keys(event.result)).toHaveLength(1);
    }
  });

  it('[64] The extended card needs no params. (§9.4.8)', async () => {
    expect((await call('GetExtendedAgentCard', undefined)).json.result.name).toBe('alpha');
  });

  it('[65] What is no JSON is a parse error without id; what is no request of JSON-RPC is invalid. (§9.5)', async () => {
    for (const body of ['{', '', '\u0000', '{"a":1,}']) {
      expect((await post(body)).json).toMatchObject({ id: null, error: { code: -32700 } });
    }
    const good = { jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} };
    const none = [[], [good], 'x', 5, { ...good, jsonrpc: '1.0' }, { ...good, method: 5 }, { ...good, id: {} }];
    for (const body of none) expect((await post(JSON.stringify(body))).json.error.code).toBe(-32600);
  });

  it('[66] An unknown method, bad params and anything else have codes of their own. (§9.5)', async () => {
    expect((await call('Nothing', {})).json.error.code).toBe(-32601);
    for (const params of [[], 'x', undefined, { id: 5 }, { id: {} }, { id: '' }]) {
      expect((await call('GetTask', params)).json.error.code).toBe(-32602);
    }
    const { ledger } = server.switchboard.core;
    const broken = jest.spyOn(ledger, 'get').mockImplementation(() => {
      throw new TypeError('planted-detail');
    });
    const answer = await call('GetTask', { id: 'x' });
    broken.mockRestore();
    expect(answer.json.error.code).toBe(-32603);
    expect(answer.text).not.toContain('planted');
  });

  it('[67][68] The data of an error is a list of typed details, ErrorInfo always and BadRequest for parameters. (§9.5, §3.3.2)', async () => {
    for (const [method, params] of [
      ['GetTask', { id: 'x' }],
      ['GetTask', {}],
      ['Nothing', {}],
      ['ListTasks', { pageSize: 0 }],
    ] as const) {
      const { code, data } = (await call(method, params)).json.error;
      for (const detail of data) expect(detail['@type']).toMatch(/^type\.googleapis\.com\/google\.rpc\./);
      expect(data[0]).toMatchObject({ reason: expect.stringMatching(/^[A-Z_]+$/), domain: 'a2a-protocol.org' });
      if (code === -32602) expect(data[1].fieldViolations[0].field).toMatch(/./);
    }
  });

  it('[59] A notification is carried out and gets no answer; a batch is refused. (§9.3)', async () => {
    const params = sendParams('quiet', { contextId: 'quietly-done' });
    const { status, text } = await post({ jsonrpc: '2.0', method: 'SendMessage', params });
    expect([status, text]).toEqual([204, '']);
    let total = 0;
    while (total === 0) total = (await call('ListTasks', { contextId: 'quietly-done' })).json.result.totalSize;
    expect((await post([{ jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} }])).json.error.code).toBe(-32600);
  });
});

describe('HTTP+JSON', () => {
  const open = async (tenant = '', key?: string): Promise<Any> =>
    (await server.send('POST', `/a2a${tenant}/message:send`, { key, body: sendParams('ask x') })).json.task;
  /** A request for each operation, that can be carried out in this order. */
  const everyPath = async (tenant: string, key?: string): Promise<[string, string, unknown?][]> => {
    const task = `/tasks/${(await open(tenant, key)).id}`;
    const follow = await open(tenant, key);
    return [
      ['POST', '/message:send', sendParams('hi')],
      ['POST', '/message:stream', sendParams('hi')],
      ['POST', '/message:stream', sendParams('done', { taskId: follow.id })],
      ['GET', '/tasks'],
      ['GET', task],
      ['POST', `${task}/pushNotificationConfigs`, { id: 'c', url: 'https://8.8.8.8/hook' }],
      ['GET', `${task}/pushNotificationConfigs/c`],
      ['GET', `${task}/pushNotificationConfigs`],
      ['DELETE', `${task}/pushNotificationConfigs/c`],
      ['POST', `${task}:cancel`],
      ['GET', '/extendedAgentCard'],
    ];
  };

  it('[69] The paths of the operations are relative to the url and have no version in them. (§11.3, §5.3)', async () => {
    for (const [method, path, body] of await everyPath('')) {
      const { status, text } = await server.send(method, `/a2a${path}`, body === undefined ? {} : { body });
      expect([path, status, text.includes('error')]).toEqual([path, expect.any(Number), false]);
      expect(status).toBeLessThan(300);
    }
    expect((await server.send('GET', '/a2a/v1/tasks')).status).not.toBe(200);
    expect((await server.send('GET', '/a2a/nothing')).status).toBe(404);
  });

  it('[69] A trailing slash and a percent-encoded verb mean the same path. (§11.3)', async () => {
    const { id } = await open();
    for (const path of ['/tasks/', `/tasks/${id}/`, '/extendedAgentCard/']) {
      expect((await server.send('GET', `/a2a${path}`)).status).toBe(200);
    }
    expect((await server.send('POST', `/a2a/tasks/${id}%3Acancel`)).json.status.state).toBe('TASK_STATE_CANCELED');
    const sent = await server.send('POST', '/a2a/message%3Asend/', { body: sendParams('hi') });
    expect(sent.json.task.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('[70] Each path works behind the name of an agent. (a2a.proto)', async () => {
    const key = KEYS.eve;
    for (const [method, path, body] of await everyPath('/beta', key)) {
      const { status } = await server.send(method, `/a2a/beta${path}`, { key, ...(body !== undefined && { body }) });
      expect([path, status < 300]).toEqual([path, true]);
    }
    const { json } = await server.send('POST', '/a2a/beta/message:send', { key, body: sendParams('hi') });
    expect((await server.send('GET', `/a2a/beta/tasks/${json.task.id}`, { key })).status).toBe(200);
    expect((await server.send('GET', `/a2a/tasks/${json.task.id}`, { key })).status).toBe(404);
  });

  it('[71] Bodies are application/a2a+json; application/json is taken too. (§11.1)', async () => {
    for (const type of ['application/a2a+json', 'application/json', 'application/json; charset=utf-8']) {
      const { headers, status } = await server.send('POST', '/a2a/message:send', {
        body: sendParams('hi'),
        headers: { 'Content-Type': type },
      });
      expect([status, headers.get('content-type')]).toEqual([200, 'application/a2a+json']);
    }
    const { id } = await open();
    expect((await server.send('GET', `/a2a/tasks/${id}`)).headers.get('content-type')).toBe('application/a2a+json');
  });

  it('[72] A send wraps its task, a read and a cancel return it bare. (§11.4)', async () => {
    const { id } = await open();
    expect((await server.send('GET', `/a2a/tasks/${id}`)).json.id).toBe(id);
    expect((await server.send('POST', `/a2a/tasks/${id}:cancel`)).json.id).toBe(id);
  });

  it('[73] What a GET wants is in the path and the query, encoded, as text. (§11.5)', async () => {
    const { id, contextId } = await open();
    const get = async (query: string): Promise<Any> => (await server.send('GET', `/a2a/tasks?${query}`)).json;
    expect((await get(`contextId=${contextId}&includeArtifacts=true&pageSize=7&historyLength=1`)).tasks[0].id).toBe(id);
    expect((await get(`context_id=${contextId}&page_size=1`)).pageSize).toBe(1);
    expect((await get('contextId=a%20b%26c')).error.details[1].fieldViolations[0].field).toBe('contextId');
    expect((await get('includeArtifacts=yes')).error.code).toBe(400);
    expect((await get(`contextId=${contextId}&status=TASK_STATE_INPUT_REQUIRED`)).totalSize).toBe(1);
  });

  it('[74][75] An error is a google.rpc status whose code is that of HTTP, with ErrorInfo first. (§11.6)', async () => {
    const failing: [string, string, unknown?][] = [
      ['GET', '/tasks/x'],
      ['GET', '/tasks?pageSize=0'],
      ['GET', '/nothing'],
      ['PUT', '/tasks'],
      ['POST', '/message:send', '{'],
      ['POST', '/message:send', []],
      ['GET', '/tasks/%ff'],
    ];
    for (const [method, path, body] of failing) {
      const { status, json, headers } = await server.send(method, `/a2a${path}`, body === undefined ? {} : { body });
      expect(status).toBeGreaterThanOrEqual(400);
      expect(headers.get('content-type')).toBe('application/json');
      expect(json.error).toMatchObject({
        code: status,
        status: expect.stringMatching(/^[A-Z_]+$/),
        message: expect.any(String),
      });
      expect(json.error.details[0]).toMatchObject({
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: expect.stringMatching(/^[A-Z_]+$/),
      });
    }
  });

  it('[76] An event of a stream is the bare event. (§11.7)', async () => {
    const { text } = await server.send('POST', '/a2a/message:stream', { body: sendParams('hi') });
    const [first] = frames(text).map(({ event }) => event as Any);
    expect(Object.keys(first)).toEqual(['task']);
  });

  it('[77] A cancel takes no body, an empty one, null or metadata; a subscription both methods; the verb is no part of the id. (§11.3.2)', async () => {
    for (const body of [undefined, '', '{}', 'null', '{"metadata":{"a":1}}']) {
      const { id } = await open();
      const { json } = await server.send('POST', `/a2a/tasks/${id}:cancel`, body === undefined ? {} : { body });
      expect(json).toMatchObject({ id, status: { state: 'TASK_STATE_CANCELED' } });
    }
    const { id } = await open();
    for (const method of ['GET', 'POST']) {
      const response = await server.fetch(method, `/a2a/tasks/${id}:subscribe`);
      expect(response.headers.get('content-type')).toBe('text/event-stream');
      await response.body?.cancel();
    }
    expect((await server.send('GET', `/a2a/tasks/${id}:cancel`)).status).toBe(405);
    expect((await server.send('POST', `/a2a/tasks/${id}:explode`)).status).toBe(404);
  });
});

describe.each(bindings(server).map((binding) => [binding.name, binding] as const))('%s', (_name, binding) => {
  it('[55][56] Names are camelCase and values of enumerations are the full names of the schema. (§5.5)', async () => {
    const task = (await binding.call('SendMessage', sendParams('file a.txt hi; data {"snake_case":1}; ask what')))
      .result;
    const listed = (await binding.call('ListTasks', { includeArtifacts: true, historyLength: 5 })).result;
    const events = await binding.events('SendStreamingMessage', sendParams('stream 2; tool search'));
    const walk = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      for (const [key, child] of Object.entries(value)) {
        expect(key).not.toContain('_');
        if (key === 'state') expect(child).toMatch(/^TASK_STATE_[A-Z_]+$/);
        if (key === 'role') expect(child).toMatch(/^ROLE_(?:USER|AGENT)$/);
        if (key !== 'data' && key !== 'metadata') walk(child);
      }
    };
    walk([task, listed, events]);
    for (const role of ['user', 'Role_User', 'ROLE_AGENT', 3]) {
      expect((await binding.call('SendMessage', sendParams('x', { role }))).error?.reason).toBe('INVALID_PARAMS');
    }
  });

  it('[55] Both spellings of a name are read. (§5.5)', async () => {
    const { message } = sendParams('hi') as Any;
    const { messageId: message_id, ...rest } = message;
    const snake = { message: { ...rest, message_id, context_id: 'snake' }, configuration: { history_length: 0 } };
    const { task } = (await binding.call('SendMessage', snake)).result;
    expect([task.contextId, task.history]).toEqual(['snake', undefined]);
  });

  it('[57] Unknown members are ignored at every level. (§5.7)', async () => {
    const { message } = sendParams('') as Any;
    const params = {
      x: 1,
      message: { ...message, x: { y: 1 }, parts: [{ text: 'hi', x: [1] }] },
      configuration: { x: 1 },
    };
    expect((await binding.call('SendMessage', params)).result.task.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('[157] null is the same as nothing, and 0 is not. (§5.5)', async () => {
    const configuration = { historyLength: null, returnImmediately: null, acceptedOutputModes: null };
    const extra = { contextId: null, taskId: null, metadata: null, extensions: null, referenceTaskIds: null };
    const { task } = (await binding.call('SendMessage', sendParams('hi', extra, configuration))).result;
    expect(task.history.length).toBeGreaterThan(0);
    const none = await binding.call('SendMessage', sendParams('hi', {}, { historyLength: 0 }));
    expect(none.result.task.history).toBeUndefined();
  });
});
