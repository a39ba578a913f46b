// 0.3 as its clients meet it: over each binding, on the wire.
import { describe, expect, it } from '@jest/globals';
import { IDEMPOTENT_SEND } from '../../../src/extension-uris.js';
import { KEYS, useBridgeServer } from '../../surfaces/a2a-bridge/bridge-server.js';
import type { Any } from './binding.js';
import { grpcAddress } from './grpc-binding.js';
import { legacyMessageId, OLD, overGrpc, overRest, overRpc } from './legacy-binding.js';

const server = useBridgeServer({ grpcPort: 0 });
const strict = useBridgeServer({ grpcPort: 0, requiredExtensions: [IDEMPOTENT_SEND] });

const bindings = [overRpc, overRest, overGrpc].map((over) => [over(server), over(strict)] as const);

describe.each(bindings.map(([legacy, strictly]) => [legacy.name, legacy, strictly] as const))(
  '%s',
  (name, legacy, strictly) => {
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
      if (legacy.isRpc) expect(json.result).toMatchObject({ kind: 'task', id: expect.any(String) });
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
      const file = (content: object): Any => (legacy.isRpc ? { kind: 'file', file: content } : { file: content });
      const data = (value: Any, more: object = {}): Any =>
        legacy.isRpc ? { kind: 'data', data: value, ...more } : { data: { data: value }, ...more };
      const bytes = legacy.isRpc ? { bytes: 'AP8H' } : { fileWithBytes: 'AP8H' };
      const parts = [
        { ...legacy.text('hi'), metadata: { k: 1 } },
        file({ ...bytes, name: 'a.bin', mimeType: 'image/png' }),
        data({ a: [1] }),
        data({ value: 5 }, { metadata: { data_part_compat: true } }),
      ];
      const task = legacy.task(await legacy.send(parts));
      expect(task.history[0].parts ?? task.history[0].content).toEqual(parts);
      const given = await say('data [1,2]');
      expect(given.artifacts.at(-1).parts[0]).toEqual(
        data({ value: [1, 2] }, { metadata: { data_part_compat: true } }),
      );
      const seenNow = (await server.rpc('GetTask', { id: task.id })).json.result.history[0].parts;
      expect(seenNow.map((part: Any) => Object.keys(part)[0])).toEqual(['text', 'raw', 'data', 'data']);
      expect(seenNow[3]).toEqual({ data: 5 });
    });

    it('[C9] States and roles are spelt as 0.3 spelt them. (0.3)', async () => {
      const seen = [];
      for (const text of ['hi', 'fail no', 'ask x', 'auth x']) seen.push((await say(text)).status.state);
      expect(seen).toEqual(['completed', 'failed', 'input-required', 'auth-required'].map(legacy.state));
      const { history } = await say('hi');
      expect(history[0].role).toBe(legacy.isRpc ? 'user' : 'ROLE_USER');
      const wrong = await legacy.send([legacy.text('hi')], { role: legacy.isRpc ? 'agent' : 'ROLE_AGENT' });
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
        additionalInterfaces: [
          { url: `${server.url}/a2a`, transport: 'HTTP+JSON' },
          { url: await grpcAddress(server), transport: 'GRPC' },
        ],
        supportsAuthenticatedExtendedCard: true,
      });
      expect(card.security).toEqual(
        legacy.isRpc
          ? [{ apiKey: [] }, { bearer: [] }]
          : [{ schemes: { apiKey: expect.anything() } }, { schemes: { bearer: expect.anything() } }],
      );
      expect(card).not.toHaveProperty('supportedInterfaces');
      expect(card.capabilities).not.toHaveProperty('extendedAgentCard');
    });

    it('[C17] Extensions are named under the old header, and bodies are application/json. (0.3)', async () => {
      const answer = await legacy.get('x', undefined, { 'X-A2A-Extensions': `urn:other,${IDEMPOTENT_SEND}` });
      expect(answer.headers.get('x-a2a-extensions')).toBe(IDEMPOTENT_SEND);
      const type = name === 'gRPC' ? /^application\/grpc/ : /^application\/json$/;
      expect(answer.headers.get('content-type')).toMatch(type);
      expect((await legacy.send([legacy.text('hi')])).headers.get('content-type')).toMatch(type);
    });

    it('[C18] Errors have the codes that 0.3 knew, and none that came later. (0.3)', async () => {
      const done = await say('hi');
      const odd = legacy.isRpc
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
      const required = await strictly.get('x');
      expect(legacy.code(required)).toBe(-32004);
    });

    it('[C19] What 0.3 did not have is not there: no list of tasks, no tenant in the path. (0.3)', async () => {
      const missing = await legacy.list();
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
  },
);

describe('HTTP+JSON', () => {
  it('[C5] REST of 0.3 is ProtoJSON of its schema: content in messages, long names of values, both spellings read. (0.3)', async () => {
    const content = [{ file: { file_with_bytes: 'AA==', mime_type: 'image/png' } }, { text: 'hi' }];
    for (const name of ['message', 'request']) {
      const message = { message_id: legacyMessageId(), role: 'ROLE_USER', content };
      const body = { [name]: message };
      const { task } = (await server.send('POST', '/a2a/v1/message:send', { headers: OLD, body })).json;
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
  it('[C2] An agent by its own path speaks 0.3 as well. (0.3)', async () => {
    const { json } = await server.rpc(
      'tasks/get',
      { id: 'x' },
      { headers: OLD, key: KEYS.eve, path: '/agents/beta/a2a' },
    );
    expect(json.error.code).toBe(-32001);
  });
});
