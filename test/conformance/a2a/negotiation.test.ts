// Versions, service parameters and extensions, over each binding.
import { request, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { expect } from '@jest/globals';
import { IDEMPOTENT_SEND } from '../../../src/extension-uris.js';
import { KEYS, sendParams, useBridgeServer } from '../../surfaces/a2a-bridge/bridge-server.js';
import type { Binding } from './binding.js';
import { overEachBinding } from './scenario.js';

const server = useBridgeServer({ grpcPort: 0 });
const strict = useBridgeServer({ grpcPort: 0, requiredExtensions: [IDEMPOTENT_SEND] });

const list = (binding: Binding, headers: Record<string, string>) => binding.call('ListTasks', {}, { headers });
const activated = async (binding: Binding, listed: string): Promise<string | null> =>
  (await list(binding, { 'A2A-Extensions': listed })).answer.headers.get('a2a-extensions');

/** A request whose header fields go out as they are spelt here. */
async function plainly(
  method: string,
  path: string,
  headers: OutgoingHttpHeaders,
): Promise<{ status?: number; headers: IncomingMessage['headers']; body: string }> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(`${server.url}${path}`, { method, headers: { 'X-API-Key': KEYS.bob, ...headers } }, resolve);
    sent.on('error', reject).end(method === 'POST' ? body : undefined);
  });
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return { ...(response.statusCode && { status: response.statusCode }), headers: response.headers, body: text };
}

overEachBinding(server, 'negotiation', [
  [
    '[38] The version may stand in the query instead of the header. (§3.6.1)',
    async (binding) => {
      const path = binding.name === 'JSON-RPC' ? '/a2a' : '/a2a/tasks';
      const body = { jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} };
      const rpc = binding.name === 'JSON-RPC' ? { body } : {};
      const method = binding.name === 'JSON-RPC' ? 'POST' : 'GET';
      const asked = await server.send(method, `${path}?A2A-Version=1.0`, { ...rpc, headers: { 'A2A-Version': '' } });
      expect((asked.json.result ?? asked.json).tasks).toBeDefined();
      // Where both say one, the header counts.
      const both = await server.send(method, `${path}?A2A-Version=99.0`, rpc);
      expect((both.json.result ?? both.json).tasks).toBeDefined();
    },
    'HTTP only',
  ],
  [
    '[39] A patch number changes nothing. (§3.6, §14.2.1)',
    async (binding) => {
      const { result } = await list(binding, { 'A2A-Version': '1.0.7' });
      expect(result).toEqual((await list(binding, { 'A2A-Version': '1.0' })).result);
    },
  ],
  [
    '[41][178] A version that is not offered is refused. (§3.6.2, §5.4)',
    async (binding) => {
      const reasons = [];
      for (const version of ['99.0', '1.1', '0.2', 'one'])
        reasons.push((await list(binding, { 'A2A-Version': version })).error?.reason);
      expect(new Set(reasons)).toEqual(new Set(['VERSION_NOT_SUPPORTED']));
      return reasons;
    },
  ],
  [
    '[40][42] No version means 0.3: the same server answers it in the shapes of 0.3, and never as 1.0. (§3.6.2)',
    async (binding) => {
      for (const version of ['', '0.3']) {
        const headers = { 'A2A-Version': version };
        const { json } =
          binding.name === 'JSON-RPC'
            ? await server.rpc('tasks/get', { id: 'x' }, { headers })
            : await server.send('GET', '/a2a/v1/tasks/x', { headers });
        expect(json.error?.code ?? json.code).toBe(-32001);
        const now =
          binding.name === 'JSON-RPC'
            ? await server.rpc('SendMessage', sendParams('x'), { headers })
            : await server.send('POST', '/a2a/message:send', { headers, body: sendParams('x') });
        expect(now.text).not.toContain('TASK_STATE');
        expect(now.json.error?.code ?? now.json.code).toBe(-32601);
      }
      // The same task, as each of them reads it.
      const { task } = (await binding.call('SendMessage', sendParams('hi'))).result;
      const old =
        binding.name === 'JSON-RPC'
          ? (await server.rpc('tasks/get', { id: task.id }, { headers: { 'A2A-Version': '' } })).json.result
          : (await server.send('GET', `/a2a/v1/tasks/${task.id}`, { headers: { 'A2A-Version': '' } })).json;
      const messages = binding.name === 'JSON-RPC' ? ['kind', 'parts'] : ['content'];
      expect([old.id, old.contextId]).toEqual([task.id, task.contextId]);
      for (const member of messages) {
        expect(old.history[0]).toHaveProperty(member);
        if (member !== 'parts') expect(task.history[0]).not.toHaveProperty(member);
      }
    },
    'HTTP only',
  ],
  [
    '[44][45] Parameters travel as headers, whose names are matched in any case and whose values are not. (§9.2, §11.2, §3.2.6)',
    async (binding) => {
      const seen = [];
      // fetch writes all names in lower case.
      for (const name of ['a2a-version', 'A2A-VERSION']) {
        const rpc = binding.name === 'JSON-RPC';
        const { status, body } = await plainly(rpc ? 'POST' : 'GET', rpc ? '/a2a' : '/a2a/tasks', {
          [name]: '99.0',
          ...(rpc && { 'Content-Type': 'application/json' }),
        });
        seen.push(body.includes('VERSION_NOT_SUPPORTED') && (rpc ? status === 200 : status === 400));
      }
      seen.push(await activated(binding, IDEMPOTENT_SEND), await activated(binding, IDEMPOTENT_SEND.toUpperCase()));
      expect(seen).toEqual([true, true, IDEMPOTENT_SEND, null]);
      return seen;
    },
    'HTTP only',
  ],
  [
    '[46] Several values share one field, spaces aside, and a repeated field is one list. (§9.2, §11.2)',
    async (binding) => {
      expect(await activated(binding, `urn:other ,  ${IDEMPOTENT_SEND} , urn:third`)).toBe(IDEMPOTENT_SEND);
      // fetch can't send a field twice.
      const repeated = await plainly('GET', '/a2a/tasks', {
        'A2A-Version': '1.0',
        'A2A-Extensions': ['urn:other', IDEMPOTENT_SEND],
      });
      expect(repeated.headers['a2a-extensions']).toBe(IDEMPOTENT_SEND);
    },
    'HTTP only',
  ],
  [
    '[47][51] Only what a client asks for is in force, and the answer names it. (§4.6.1, topics/extensions)',
    async (binding) => {
      const seen = [await activated(binding, ''), await activated(binding, IDEMPOTENT_SEND)];
      expect(seen).toEqual([null, IDEMPOTENT_SEND]);
      if (!binding.isHttp) return seen;
      const stream = await server.fetch('POST', binding.name === 'JSON-RPC' ? '/a2a' : '/a2a/message:stream', {
        headers: { 'A2A-Extensions': IDEMPOTENT_SEND },
        body:
          binding.name === 'JSON-RPC'
            ? { jsonrpc: '2.0', id: 1, method: 'SendStreamingMessage', params: sendParams('x') }
            : sendParams('x'),
      });
      expect(stream.headers.get('a2a-extensions')).toBe(IDEMPOTENT_SEND);
      await stream.text();
      return seen;
    },
  ],
  [
    '[49][50] An unknown extension, or another version of a known one, is ignored. (§4.6.3)',
    async (binding) => {
      const other = IDEMPOTENT_SEND.replace(':v1', ':v2');
      const { result, answer } = await list(binding, { 'A2A-Extensions': `${other}, urn:unknown` });
      expect(result.tasks).toBeDefined();
      expect(answer.headers.get('a2a-extensions')).toBeNull();
    },
  ],
  [
    '[52] The extensions that a message names, and their metadata, come back as they were sent. (§4.6.2, §4.1.4)',
    async (binding) => {
      const extra = { extensions: ['urn:my:ext'], metadata: { 'urn:my:ext': { deep: [1, null, 'x'] } } };
      const { result } = await binding.call('SendMessage', sendParams('hi', extra));
      expect(result.task.history[0]).toMatchObject(extra);
      return result.task.history[0];
    },
  ],
]);

overEachBinding(strict, 'required extensions', [
  [
    '[48][177] A required extension that the client does not name is an error, and nothing is done. (§3.3.4, §5.4)',
    async (binding) => {
      const reasons = [];
      for (const listed of ['', 'urn:other']) {
        const { error } = await binding.call('SendMessage', sendParams('x'), { headers: { 'A2A-Extensions': listed } });
        reasons.push(error?.reason);
      }
      expect(reasons).toEqual(Array(2).fill('EXTENSION_SUPPORT_REQUIRED'));
      expect((await list(binding, { 'A2A-Extensions': IDEMPOTENT_SEND })).result.totalSize).toBe(0);
      return reasons;
    },
  ],
  [
    '[53] Extensions open no way around the key. (topics/extensions)',
    async (binding) => {
      const headers = { 'A2A-Extensions': IDEMPOTENT_SEND };
      expect((await binding.call('ListTasks', {}, { key: '', headers })).answer.status).toBe(401);
      const method = await strict.send('POST', '/a2a', {
        key: '',
        headers,
        body: { jsonrpc: '2.0', id: 1, method: 'urn:x/do' },
      });
      expect(method.status).toBe(401);
    },
  ],
]);
