// 0.3 as its clients meet it: over JSON-RPC and over REST, on the wire.
import { describe, expect, it } from '@jest/globals';
import { IDEMPOTENT_SEND } from '../../../plugins/surfaces/a2a-bridge/extensions.js';
import { frames, KEYS, sendParams, useBridgeServer, type Answer } from '../../surfaces/a2a-bridge/bridge-server.js';
import { ManualAgent } from '../../support/manual-agent.js';
import type { Any } from './binding.js';

const agent = new ManualAgent();
const server = useBridgeServer({}, [agent.plugin]);
const strict = useBridgeServer({ requiredExtensions: [IDEMPOTENT_SEND] });

/** 0.3 clients say no version. */
const OLD = { 'A2A-Version': '' };
let messages = 0;

/** The two bindings of 0.3 behind one face. */
interface Legacy {
  name: string;
  send(parts: Any[], more?: object, configuration?: object, key?: string): Promise<Answer>;
  stream(text: string, more?: object, options?: { key?: string; at?: string }): Promise<Any[]>;
  get(id: string, historyLength?: number): Promise<Answer>;
  cancel(id: string): Promise<Answer>;
  resubscribe(id: string): Promise<Any[]>;
  card(): Promise<Answer>;
  /** The task of an answer to a send. */
  task(answer: Answer): Any;
  text(text: string): Any;
  code(answer: Answer): number | undefined;
  state(state: string): string;
}

const rpc = (method: string, params: unknown, key?: string, at = '/a2a') =>
  server.rpc(method, params, { headers: OLD, key, path: at });
const rest = (method: string, path: string, body?: unknown, key?: string, at = '/a2a') =>
  server.send(method, `${at}/v1${path}`, { headers: OLD, key, ...(body !== undefined && { body }) });
const eventsOf = ({ text }: Answer): Any[] => frames(text).map(({ event }) => event as Any);

const overRpc: Legacy = {
  name: 'JSON-RPC',
  text: (text) => ({ kind: 'text', text }),
  send: (parts, more = {}, configuration, key) =>
    rpc(
      'message/send',
      { message: { kind: 'message', messageId: `l-${++messages}`, role: 'user', parts, ...more }, configuration },
      key,
    ),
  stream: async (text, more = {}, { key, at } = {}) => {
    const message = {
      kind: 'message',
      messageId: `l-${++messages}`,
      role: 'user',
      parts: [{ kind: 'text', text }],
      ...more,
    };
    return eventsOf(await rpc('message/stream', { message }, key, at)).map(({ result }) => result);
  },
  get: (id, historyLength) => rpc('tasks/get', { id, historyLength }),
  cancel: (id) => rpc('tasks/cancel', { id }),
  resubscribe: async (id) => eventsOf(await rpc('tasks/resubscribe', { id })).map(({ result }) => result),
  card: () => rpc('agent/getAuthenticatedExtendedCard', undefined),
  task: ({ json }) => json.result,
  code: ({ json }) => json.error?.code,
  state: (state) => state,
};

const STATES: Record<string, string> = {
  canceled: 'CANCELLED',
  'input-required': 'INPUT_REQUIRED',
  completed: 'COMPLETED',
  failed: 'FAILED',
  'auth-required': 'AUTH_REQUIRED',
};
/** REST wraps events in a member; the kind is added so that both bindings read alike. */
const flat = (event: Any): Any => {
  const [[member, value]] = Object.entries<Any>(event) as [[string, Any]];
  const kind = { task: 'task', statusUpdate: 'status-update', artifactUpdate: 'artifact-update' }[member];
  return { kind, ...value };
};
const overRest: Legacy = {
  name: 'HTTP+JSON',
  text: (text) => ({ text }),
  send: (content, more = {}, configuration, key) =>
    rest(
      'POST',
      '/message:send',
      { message: { messageId: `l-${++messages}`, role: 'ROLE_USER', content, ...more }, configuration },
      key,
    ),
  stream: async (text, more = {}, { key, at } = {}) => {
    const message = { messageId: `l-${++messages}`, role: 'ROLE_USER', content: [{ text }], ...more };
    return eventsOf(await rest('POST', '/message:stream', { message }, key, at)).map(flat);
  },
  get: (id, historyLength) =>
    rest('GET', `/tasks/${id}${historyLength === undefined ? '' : `?historyLength=${historyLength}`}`),
  cancel: (id) => rest('POST', `/tasks/${id}:cancel`),
  resubscribe: async (id) => eventsOf(await rest('GET', `/tasks/${id}:subscribe`)).map(flat),
  card: () => rest('GET', '/card'),
  task: ({ json }) => json.task,
  code: ({ json }) => json.code,
  state: (state) => `TASK_STATE_${STATES[state]}`,
};

describe.each([overRpc, overRest].map((legacy) => [legacy.name, legacy] as const))('%s', (_name, legacy) => {
  const say = async (text: string, more: object = {}, configuration?: object): Promise<Any> => {
    const answer = await legacy.send([legacy.text(text)], more, configuration);
    return legacy.task(answer) ?? answer.json;
  };

  it('[C1][C2][C3] A request without a version reaches the operations of 0.3 by their old names. (§3.6.2)', async () => {
    const task = await say('hello');
    expect(task.status.state).toBe(legacy.state('completed'));
    expect((await legacy.get(task.id)).status).toBe(200);
    expect((await legacy.card()).status).toBe(200);
    const [first, ...rest] = await legacy.stream('hello');
    expect([first.kind, rest.length > 0]).toEqual(['task', true]);
    const asked = await say('ask x');
    expect((await legacy.cancel(asked.id)).text).toContain(legacy.state('canceled'));
    expect((await legacy.resubscribe(asked.id))[0].status.state).toBe(legacy.state('canceled'));
  });

  it('[C6] The answer is a task in the shape of its binding. (0.3)', async () => {
    const { json } = await legacy.send([legacy.text('hello')]);
    if (legacy === overRpc) expect(json.result).toMatchObject({ kind: 'task', id: expect.any(String) });
    else expect(Object.keys(json)).toEqual(['task']);
  });

  it('[C7] The last event of a stream says that it is the final one, and no other does. (0.3)', async () => {
    for (const [text, state] of [
      ['stream 3', 'completed'],
      ['fail no', 'failed'],
      ['ask what', 'input-required'],
    ] as const) {
      const events = await legacy.stream(text);
      const updates = events.filter(({ kind }) => kind === 'status-update');
      expect(updates.map(({ final }) => final)).toEqual([...Array(updates.length - 1).fill(false), true]);
      expect(events.at(-1)).toMatchObject({ status: { state: legacy.state(state) }, final: true });
    }
  });

  it('[C8] Every kind of part comes and goes, data that is no object wrapped in one. (0.3)', async () => {
    const file = (content: object): Any => (legacy === overRpc ? { kind: 'file', file: content } : { file: content });
    const data = (value: Any, more: object = {}): Any =>
      legacy === overRpc ? { kind: 'data', data: value, ...more } : { data: { data: value }, ...more };
    const bytes = legacy === overRpc ? { bytes: 'AP8H' } : { fileWithBytes: 'AP8H' };
    const parts = [
      { ...legacy.text('hi'), metadata: { k: 1 } },
      file({ ...bytes, name: 'a.bin', mimeType: 'image/png' }),
      data({ a: [1] }),
      data({ value: 5 }, { metadata: { data_part_compat: true } }),
    ];
    const task = legacy.task(await legacy.send(parts));
    expect(task.history[0].parts ?? task.history[0].content).toEqual(parts);
    const given = await say('data [1,2]');
    expect(given.artifacts.at(-1).parts[0]).toEqual(data({ value: [1, 2] }, { metadata: { data_part_compat: true } }));
    const seenNow = (await server.rpc('GetTask', { id: task.id })).json.result.history[0].parts;
    expect(seenNow.map((part: Any) => Object.keys(part)[0])).toEqual(['text', 'raw', 'data', 'data']);
    expect(seenNow[3]).toEqual({ data: 5 });
  });

  it('[C9] States and roles are spelt as 0.3 spelt them. (0.3)', async () => {
    const seen = [];
    for (const text of ['hi', 'fail no', 'ask x', 'auth x']) seen.push((await say(text)).status.state);
    expect(seen).toEqual(['completed', 'failed', 'input-required', 'auth-required'].map(legacy.state));
    const { history } = await say('hi');
    expect(history[0].role).toBe(legacy === overRpc ? 'user' : 'ROLE_USER');
    const wrong = await legacy.send([legacy.text('hi')], { role: legacy === overRpc ? 'agent' : 'ROLE_AGENT' });
    expect(legacy.code(wrong)).toBe(-32602);
  });

  it('[C10] A send waits unless blocking is false. (0.3)', async () => {
    for (const configuration of [undefined, {}, { blocking: true }]) {
      expect((await say('wait 20; say done', {}, configuration)).status.state).toBe(legacy.state('completed'));
    }
    const task = await say('wait 60000', {}, { blocking: false });
    expect(task.status.state).toMatch(/submitted|working/i);
    await legacy.cancel(task.id);
  });

  it('[C11] A historyLength of 0 is no limit. (0.3)', async () => {
    const task = await say('hi', {}, { historyLength: 0 });
    expect(task.history.length).toBeGreaterThan(1);
    const read = async (length?: number): Promise<number> => {
      const { json } = await legacy.get(task.id, length);
      return (json.result ?? json).history.length;
    };
    expect([await read(), await read(0), await read(1)]).toEqual([task.history.length, task.history.length, 1]);
  });

  it('[C14][C15] The card has its one url, its transports and its security in the shape of 0.3. (0.3)', async () => {
    const { json } = await legacy.card();
    const card = json.result ?? json;
    expect(card).toMatchObject({
      protocolVersion: '0.3.0',
      url: `${server.url}/a2a`,
      preferredTransport: 'JSONRPC',
      additionalInterfaces: [{ url: `${server.url}/a2a`, transport: 'HTTP+JSON' }],
      supportsAuthenticatedExtendedCard: true,
    });
    expect(card.security).toEqual(
      legacy === overRpc
        ? [{ apiKey: [] }, { bearer: [] }]
        : [{ schemes: { apiKey: expect.anything() } }, { schemes: { bearer: expect.anything() } }],
    );
    expect(card).not.toHaveProperty('supportedInterfaces');
    expect(card.capabilities).not.toHaveProperty('extendedAgentCard');
  });

  it('[C17] Extensions are named under the old header, and bodies are application/json. (0.3)', async () => {
    const headers = { ...OLD, 'X-A2A-Extensions': `urn:other,${IDEMPOTENT_SEND}` };
    const answer = await (legacy === overRpc
      ? server.rpc('tasks/get', { id: 'x' }, { headers })
      : server.send('GET', '/a2a/v1/tasks/x', { headers }));
    expect(answer.headers.get('x-a2a-extensions')).toBe(IDEMPOTENT_SEND);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect((await legacy.send([legacy.text('hi')])).headers.get('content-type')).toBe('application/json');
  });

  it('[C18] Errors have the codes that 0.3 knew, and none that came later. (0.3)', async () => {
    const done = await say('hi');
    const odd =
      legacy === overRpc
        ? { kind: 'file', file: { bytes: 'AA==', mimeType: 'x/y' } }
        : { file: { fileWithBytes: 'AA==', mimeType: 'x/y' } };
    const codes = [
      legacy.code(await legacy.get('unknown')),
      legacy.code(await legacy.cancel(done.id)),
      legacy.code(await legacy.send([legacy.text('x')], { taskId: done.id })),
      legacy.code(await legacy.send([odd])),
      legacy.code(await legacy.send([])),
    ];
    expect(codes).toEqual([-32001, -32002, -32004, -32005, -32602]);
    const required = await (legacy === overRpc
      ? strict.rpc('tasks/get', { id: 'x' }, { headers: OLD })
      : strict.send('GET', '/a2a/v1/tasks/x', { headers: OLD }));
    expect(legacy.code(required)).toBe(-32004);
  });

  it('[C19] What 0.3 did not have is not there: no list of tasks, no tenant in the path. (0.3)', async () => {
    const missing = await (legacy === overRpc ? rpc('tasks/list', {}) : rest('GET', '/tasks'));
    expect(legacy.code(missing)).toBe(-32601);
    const tenant = await server.send('POST', '/a2a/beta/v1/message:send', { headers: OLD, body: {} });
    expect(tenant.status).toBe(404);
  });

  it('[C20] Resubscribing to a finished task answers with its snapshot. (0.3)', async () => {
    const task = await say('say done');
    const events = await legacy.resubscribe(task.id);
    expect(events).toEqual([expect.objectContaining({ kind: 'task', id: task.id, artifacts: task.artifacts })]);
  });

  it('[C21] A send returns when the task waits for permission, and its stream goes on. (0.3)', async () => {
    expect((await say('auth x')).status.state).toBe(legacy.state('auth-required'));
    const streaming = legacy.stream('auth x; say done', { contextId: `auth-${legacy.name[0]}` });
    let id: string | undefined;
    while (!id) {
      const query = { contextId: `auth-${legacy.name[0]}`, status: 'TASK_STATE_AUTH_REQUIRED' };
      id = (await server.rpc('ListTasks', query)).json.result.tasks[0]?.id;
    }
    await server.decide(id, 'approve');
    const updates = (await streaming).filter(({ kind }) => kind === 'status-update');
    expect(updates.find(({ status }) => status.state === legacy.state('auth-required')).final).toBe(false);
    expect(updates.at(-1)).toMatchObject({ status: { state: legacy.state('completed') }, final: true });
  });
});

describe('HTTP+JSON', () => {
  it('[C5] REST of 0.3 is ProtoJSON of its schema: content in messages, long names of values, both spellings read. (0.3)', async () => {
    const content = [{ file: { file_with_bytes: 'AA==', mime_type: 'image/png' } }, { text: 'hi' }];
    for (const name of ['message', 'request']) {
      const message = { message_id: `l-${++messages}`, role: 'ROLE_USER', content };
      const { task } = (await rest('POST', '/message:send', { [name]: message })).json;
      expect(task.history[0]).toMatchObject({
        role: 'ROLE_USER',
        content: [{ file: { fileWithBytes: 'AA==' } }, { text: 'hi' }],
      });
      expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    }
  });
});

describe('the card', () => {
  const card = async (path: string, version: string): Promise<Any> =>
    (await server.send('GET', path, { key: '', headers: { 'A2A-Version': version } })).json;

  it('[C14][C15] By version it is the document of that version, without one a document for both. (0.3)', async () => {
    const [old, now, both] = [
      await card('/.well-known/agent-card.json', '0.3'),
      await card('/.well-known/agent-card.json', '1.0'),
      await card('/.well-known/agent-card.json', ''),
    ];
    expect(old.securitySchemes.apiKey).toMatchObject({ type: 'apiKey', in: 'header', name: 'X-API-Key' });
    expect(old.supportsAuthenticatedExtendedCard).toBe(true);
    expect(now.capabilities.extendedAgentCard).toBe(true);
    expect(both).toMatchObject(now);
    for (const key of ['url', 'preferredTransport', 'security', 'protocolVersion']) expect(both[key]).toEqual(old[key]);
  });

  it('[C16] It is at the address that older clients know, too. (0.3)', async () => {
    for (const path of ['/.well-known', '/agents/alpha/.well-known']) {
      expect(await card(`${path}/agent.json`, '0.3')).toEqual(await card(`${path}/agent-card.json`, '0.3'));
    }
  });

  it('[C22] Its interfaces of 1.0 come first, so that a client of both prefers them. (§3.6.3)', async () => {
    const { supportedInterfaces } = await card('/.well-known/agent-card.json', '');
    expect(supportedInterfaces[0].protocolVersion).toBe('1.0');
    expect(supportedInterfaces.map(({ protocolVersion }: Any) => protocolVersion)).toContain('0.3');
  });
});

describe('JSON-RPC', () => {
  it('[C12] Webhooks travel in the old nesting, the first of several schemes counts. (0.3)', async () => {
    // The translation itself is tested beside it; here, that the old methods reach the operations.
    const { task } = (await server.rpc('SendMessage', sendParams('ask x'))).json.result;
    const config = {
      url: 'https://hooks.example/x',
      authentication: { schemes: ['Bearer', 'Basic'], credentials: 'c' },
    };
    const params: [string, object][] = [
      ['set', { taskId: task.id, pushNotificationConfig: config }],
      ['get', { id: task.id, pushNotificationConfigId: 'x' }],
      ['list', { id: task.id }],
      ['delete', { id: task.id, pushNotificationConfigId: 'x' }],
    ];
    for (const [verb, of] of params) {
      const { json } = await rpc(`tasks/pushNotificationConfig/${verb}`, of);
      expect(json.error?.code ?? 0).not.toBe(-32601);
      expect(json.error?.code ?? 0).not.toBe(-32602);
    }
  });

  it('[C2] An agent by its own path speaks 0.3 as well. (0.3)', async () => {
    const { json } = await rpc('tasks/get', { id: 'x' }, KEYS.eve, '/agents/beta/a2a');
    expect(json.error.code).toBe(-32001);
  });
});
