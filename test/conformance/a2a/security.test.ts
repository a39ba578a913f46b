// Who may do what, and what is never told, over each binding.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KEYS, sendParams, useBridgeServer, type Answer } from '../../surfaces/a2a-bridge/bridge-server.js';
import { ManualAgent } from '../../support/manual-agent.js';
import { Receiver } from '../../support/receiver.js';
import type { Binding } from './binding.js';
import { bindings } from './binding.js';
import { overEachBinding } from './scenario.js';

const agent = new ManualAgent();
const server = useBridgeServer({ grpcPort: 0 }, [agent.plugin]);
/** What must not be reached. */
const inner = new Receiver();
beforeAll(() => inner.start());
afterAll(() => inner.stop());
const limited = useBridgeServer({ grpcPort: 0, rate: { perMinute: 1, burst: 3 }, maxBodyBytes: 2000 });

const OPERATIONS: [string, (id: string) => object][] = [
  ['SendMessage', (taskId) => sendParams('x', { taskId }) as object],
  ['SendStreamingMessage', (taskId) => sendParams('x', { taskId }) as object],
  ['GetTask', (id) => ({ id })],
  ['CancelTask', (id) => ({ id })],
  ['SubscribeToTask', (id) => ({ id })],
  ['CreateTaskPushNotificationConfig', (taskId) => ({ taskId, url: 'https://8.8.8.8/hook' })],
  ['GetTaskPushNotificationConfig', (taskId) => ({ taskId, id: 'c' })],
  ['ListTaskPushNotificationConfigs', (taskId) => ({ taskId })],
  ['DeleteTaskPushNotificationConfig', (taskId) => ({ taskId, id: 'c' })],
];

/** What can be seen of an answer, with the id in it taken out. */
const visible = ({ status, headers, text }: Answer, id: string): unknown => [
  status,
  [...headers].filter(([name]) => name !== 'date' && name !== 'x-request-id'),
  text.replaceAll(id, '<id>'),
];

overEachBinding(server, 'authorization', [
  [
    '[182][183] Every operation wants a key, and the refusal names the schemes. (§7.4, §3.3.2)',
    async (binding) => {
      server.write('gamma', 'callers.json', {
        v: 1,
        callers: [{ name: 'old', keys: [{ key: 'key-expired', expiresAt: '2020-01-01T00:00:00Z' }] }],
      });
      const reasons = [];
      for (const [operation, params] of [
        ...OPERATIONS,
        ['ListTasks', () => ({})],
        ['GetExtendedAgentCard', () => ({})],
      ] as typeof OPERATIONS) {
        for (const key of ['', 'wrong', 'key-expired']) {
          const { answer, error } = await binding.call(operation, params('x'), { key });
          expect(answer.status).toBe(401);
          expect(answer.headers.get('www-authenticate')).toMatch(/Bearer.*ApiKey/);
          reasons.push(error?.reason);
        }
      }
      expect(new Set(reasons)).toEqual(new Set(['UNAUTHENTICATED']));
      return reasons;
    },
  ],
  [
    '[182] The key may come as X-API-Key or as bearer token, as the card declares. (§7.4)',
    async (binding) => {
      const bearer = await binding.call('ListTasks', {}, { key: '', headers: { Authorization: `Bearer ${KEYS.bob}` } });
      expect(bearer.answer.status).toBe(200);
      const both = { key: KEYS.ann, headers: { Authorization: `Bearer ${KEYS.bob}` } };
      expect((await binding.call('ListTasks', {}, both)).answer.status).toBe(401);
    },
  ],
  [
    "[185][186] Somebody else's task is answered exactly like one that does not exist, on every operation. (§13.1, §3.3.2)",
    async (binding) => {
      const foreign = (await binding.call('SendMessage', sendParams('ask x'), { key: KEYS.ann })).result.task.id;
      const webhook = { taskId: foreign, id: 'c', url: 'https://8.8.8.8/hook' };
      await binding.call('CreateTaskPushNotificationConfig', webhook, { key: KEYS.ann });
      for (const [operation, params] of OPERATIONS) {
        const unknown = randomUUID();
        const expected = visible((await binding.call(operation, params(unknown))).answer, unknown);
        expect(visible((await binding.call(operation, params(foreign))).answer, foreign)).toEqual(expected);
      }
      const untouched = (await binding.call('GetTask', { id: foreign }, { key: KEYS.ann })).result;
      const webhooks = await binding.call('ListTaskPushNotificationConfigs', { taskId: foreign }, { key: KEYS.ann });
      expect(webhooks.result.configs).toEqual([webhook]);
      return untouched.status.state;
    },
  ],
  [
    '[187] Lacking the permission for a skill is a refusal that names what may be used. (§3.3.2)',
    async (binding) => {
      const skill = (id: string) => ({ id, name: id, description: id, tags: [id] });
      server.write('beta', 'card.json', { v: 1, skills: [skill('one'), skill('two')] });
      server.write('beta', 'callers.json', {
        v: 1,
        callers: [{ name: 'half', key: 'key-beta-half', skills: ['two'] }],
      });
      const params = { ...(sendParams('x') as object), metadata: { skill: 'one' } };
      const { answer, error } = await binding.call('SendMessage', params, { key: 'key-beta-half' });
      expect(answer.status).toBe(403);
      expect(error?.message).toContain('two');
      return error?.reason;
    },
  ],
  [
    '[194] A link in a part is not followed to where it must not lead. (§14.1.1)',
    async (binding) => {
      const links = [
        'http://169.254.169.254/latest/meta-data',
        'https://10.0.0.1/',
        'https://[::ffff:127.0.0.1]/',
        inner.url('/planted').replace('http:', 'https:'),
        inner.url('/planted'),
      ];
      const reasons = [];
      for (const url of links) {
        const { error } = await binding.call('SendMessage', sendParams('', { parts: [{ url }] }));
        reasons.push([error?.reason, error?.details.at(-1).fieldViolations[0].field]);
      }
      expect(reasons).toEqual(Array(links.length).fill(['INVALID_PARAMS', 'message.parts[0].url']));
      expect(inner.connections).toBe(0);
      return reasons;
    },
  ],
  [
    '[195] The trace context of a request reaches the agent. (enterprise-ready)',
    async (binding) => {
      const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
      const at = { key: KEYS.max, at: '/agents/manual/a2a', headers: { traceparent } };
      const sending = binding.call('SendMessage', sendParams('x'), at);
      const turn = await agent.next();
      turn.end({ kind: 'completed', parts: [{ text: 'done' }] });
      await sending;
      expect(turn.prompt.traceparent?.slice(0, 35)).toBe(traceparent.slice(0, 35));
    },
  ],
  [
    '[198] A tenant selects an agent and proves nothing: one that is not permitted is not there. (§4.4.6)',
    async (binding) => {
      const own = (
        await binding.call('SendMessage', { ...(sendParams('hi') as object), tenant: 'beta' }, { key: KEYS.eve })
      ).result.task;
      const reasons = [];
      for (const tenant of ['beta', 'hidden', 'unheard-of']) {
        reasons.push((await binding.call('GetTask', { id: own.id, tenant })).error?.reason);
      }
      expect(new Set(reasons)).toEqual(new Set(['TASK_NOT_FOUND']));
      return reasons;
    },
  ],
  [
    '[199] Tasks, contexts, page tokens and webhooks of one agent are not those of another. (§13.1)',
    async (binding) => {
      const contextId = `tenants-${binding.name[0]}`;
      const call = (operation: string, params: object) => binding.call(operation, params, { key: KEYS.eve });
      for (const tenant of [undefined, 'beta', undefined])
        await call('SendMessage', { ...(sendParams('hi', { contextId }) as object), ...(tenant && { tenant }) });
      const [here, there] = [
        (await call('ListTasks', { contextId, pageSize: 1 })).result,
        (await call('ListTasks', { contextId, pageSize: 1, tenant: 'beta' })).result,
      ];
      expect([here.totalSize, there.totalSize]).toEqual([2, 1]);
      expect((await call('GetTask', { id: here.tasks[0].id, tenant: 'beta' })).error?.reason).toBe('TASK_NOT_FOUND');
      const webhook = { taskId: here.tasks[0].id, id: 'c', url: 'https://8.8.8.8/hook' };
      expect((await call('CreateTaskPushNotificationConfig', webhook)).result).toEqual(webhook);
      for (const verb of ['Create', 'Get', 'Delete']) {
        const { error } = await call(`${verb}TaskPushNotificationConfig`, { ...webhook, tenant: 'beta' });
        expect(error?.reason).toBe('TASK_NOT_FOUND');
      }
      const token = { contextId, pageSize: 1, pageToken: here.nextPageToken, tenant: 'beta' };
      return (await call('ListTasks', token)).error?.reason;
    },
  ],
]);

describe.each(bindings(limited).map((binding) => [binding.name, binding] as const))('%s', (name, binding: Binding) => {
  // Each caller has its own bucket.
  const key = { 'JSON-RPC': KEYS.ann, 'HTTP+JSON': KEYS.bob, gRPC: KEYS.eve }[name];

  it('[192] Bodies have a limit, and so has the rate of requests; the refusal says when to come back. (§13.4)', async () => {
    const large = await binding.call('SendMessage', sendParams('x'.repeat(3000)), { key });
    // gRPC knows one code for both.
    expect(large.answer.status).toBe(binding.isHttp ? 413 : 429);
    let limit;
    do limit = await binding.call('ListTasks', {}, { key });
    while (!limit.error);
    expect([limit.answer.status, limit.error.reason]).toEqual([429, 'RATE_LIMITED']);
    const seconds = Number.parseInt(limit.error.details.at(-1).retryDelay as string);
    expect(seconds).toBeGreaterThan(0);
    if (binding.isHttp) expect(Number(limit.answer.headers.get('retry-after'))).toBe(seconds);
  });
});

describe('the log', () => {
  it('[193] No line of the log holds a key or what a message says. (§13.4)', async () => {
    const secrets = ['key-alpha-bob', 'planted-words', 'wrong-planted-key', 'planted-token', 'planted-credentials'];
    const authentication = { scheme: 'Bearer', credentials: 'planted-credentials' };
    const webhook = { url: inner.url('/planted'), token: 'planted-token', authentication };
    await server.rpc('SendMessage', sendParams('hi', {}, { taskPushNotificationConfig: webhook }));
    await server.send('GET', '/a2a/tasks', { key: '', headers: { Authorization: 'Bearer wrong-planted-key' } });
    await server.rpc('SendMessage', sendParams('crash planted-words'));
    await server.rpc('SendMessage', sendParams('say planted-words'));
    await server.rpc('ListTasks', {}, { key: 'wrong-planted-key' });
    await server.send('GET', '/a2a/tasks/planted-words');
    expect(server.log.length).toBeGreaterThan(0);
    for (const secret of secrets) expect(server.log.join('\n')).not.toContain(secret);
  });
});
