// What webhooks receive, and when, whatever binding they were registered over.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DELAYS_MS, JITTER } from '../../../plugins/followers/push-dispatcher/retry-schedule.js';
import { KEYS, sendParams, useBridgeServer } from '../../surfaces/a2a-bridge/bridge-server.js';
import { Receiver, type ReceivedRequest } from '../../support/receiver.js';
import { SkippingClock } from '../../support/skipping-clock.js';
import type { Any, Binding } from './binding.js';
import { OLD, overRest, overRpc } from './legacy-binding.js';
import { overEachBinding } from './scenario.js';

const clock = new SkippingClock();
const server = useBridgeServer({ allowPrivate: ['127.0.0.1'] }, [], clock);
const receiver = new Receiver();
beforeAll(() => receiver.start());
beforeEach(() => receiver.reset());
afterAll(() => receiver.stop());

const send = async (binding: Binding, text: string, config: object): Promise<Any> =>
  (await binding.call('SendMessage', sendParams(text, {}, { taskPushNotificationConfig: config }))).result.task;
/** What is wrong with a message that has a webhook at this URL; fails when nothing is. */
const refusal = async (binding: Binding, url: string): Promise<object> => {
  const params = sendParams('hello', {}, { taskPushNotificationConfig: { url } });
  const [violation] = (await binding.call('SendMessage', params)).error?.details.at(-1).fieldViolations ?? [];
  expect([url, violation?.field]).toEqual([url, 'configuration.taskPushNotificationConfig.url']);
  return violation;
};
const stateOf = ({ body }: ReceivedRequest): string => JSON.parse(body).task.status.state;
const at = (path: string): ReceivedRequest[] => receiver.requests.filter((request) => request.path === path);
const received = async (path: string, count: number): Promise<ReceivedRequest[]> => {
  while (at(path).length < count) await receiver.received(receiver.requests.length + 1);
  return at(path);
};
/** Resolves when the next try to tell a webhook of that id has failed. */
const nextFailure = (id: string): Promise<void> =>
  new Promise((resolve) => (onFailure = (of) => of === id && resolve()));
let onFailure: (id: string) => unknown = () => undefined;
const idFor = (binding: Binding, id: string): string => id + binding.name.length;
beforeAll(() => {
  const { bus } = server.switchboard;
  const watcher = bus.join({ name: 'watcher', consumes: [], observes: ['push.failed'], produces: [] });
  watcher.subscribe('push.failed', ({ configId }) => void onFailure(configId));
});

overEachBinding(server, 'webhooks', [
  [
    '[91][138] Each webhook of a task is told, one that came with the message and one that was added. (§4.3.3)',
    async (binding) => {
      const asked = await send(binding, 'ask x', { id: 'a', url: receiver.url('/a') });
      await binding.call('CreateTaskPushNotificationConfig', { taskId: asked.id, id: 'b', url: receiver.url('/b') });
      await binding.call('CancelTask', { id: asked.id });
      const told = [(await received('/a', 3)).map(stateOf), (await received('/b', 1)).map(stateOf)];
      const expected = [['WORKING', 'INPUT_REQUIRED', 'CANCELED'], ['CANCELED']];
      expect(told).toEqual(expected.map((states) => states.map((state) => `TASK_STATE_${state}`)));
      return told;
    },
  ],
  [
    '[139] It is POSTed the task in a stream response of JSON, whatever the binding. (§4.3.3, §3.5.1)',
    async (binding) => {
      const task = await send(binding, 'hello', { id: 'c', url: receiver.url('/c') });
      const [, last] = await received('/c', 2);
      const { history: _history, ...shown } = (await binding.call('GetTask', { id: task.id })).result;
      expect(JSON.parse(last?.body ?? '')).toEqual({ task: shown });
      return [last?.method, last?.headers['content-type'], shown];
    },
  ],
  [
    '[140] The configured scheme and credentials come as Authorization, the token beside them; none may hold a line break. (§4.3.3, §13.2)',
    async (binding) => {
      const seen = [];
      for (const [i, scheme] of ['Bearer', 'basic'].entries()) {
        const config = { url: receiver.url(`/${i}`), token: 'tok', authentication: { scheme, credentials: 'YTpi' } };
        await send(binding, 'hello', config);
        const [request] = await received(`/${i}`, 1);
        seen.push([request?.headers.authorization, request?.headers['x-a2a-notification-token']]);
      }
      const broken = { url: receiver.url('/'), authentication: { scheme: 'Bearer', credentials: 'a\r\nX: y' } };
      const params = sendParams('hello', {}, { taskPushNotificationConfig: broken });
      const { error } = await binding.call('SendMessage', params);
      expect(seen).toEqual([
        ['Bearer YTpi', 'tok'],
        ['basic YTpi', 'tok'],
      ]);
      expect(error?.reason).toBe('INVALID_PARAMS');
      return seen;
    },
  ],
  [
    '[141] A failed delivery is tried again after growing waits, under the same id, before anything newer. (§13.2)',
    async (binding) => {
      const times: number[] = [];
      receiver.respond = ({ path }, res) => {
        // Others may still be told of what happened before.
        if (path !== '/d') return void res.end();
        times.push(clock.now());
        res.writeHead(times.length < 4 ? 500 : 200).end();
      };
      const id = idFor(binding, 'd');
      let failed = nextFailure(id);
      await send(binding, 'hello', { id, url: receiver.url('/d') });
      for (let failures = 1; failures <= 3; failures++) {
        await failed;
        failed = nextFailure(id);
        clock.skip((DELAYS_MS[failures - 1] as number) * (1 + JITTER));
      }
      const requests = await received('/d', 5);
      const waits = times.slice(1, 4).map((time, i) => time - (times[i] as number));
      waits.forEach((wait, i) => expect(wait).toBeGreaterThanOrEqual((DELAYS_MS[i] as number) * (1 - JITTER)));
      expect(new Set(requests.slice(0, 4).map(({ headers }) => headers['webhook-id'])).size).toBe(1);
      expect(requests.map(stateOf).slice(2)).toEqual(['WORKING', 'WORKING', 'COMPLETED'].map((s) => `TASK_STATE_${s}`));
      return requests.map(stateOf);
    },
  ],
  [
    '[142] A receiver that hangs is given up after ten seconds and holds up neither the task nor another webhook. (§4.3.3, §13.2)',
    async (binding) => {
      const id = idFor(binding, 'hangs');
      // Of its own, since the webhook of the other binding is tried again meanwhile.
      const hangs = `/${id}`;
      receiver.respond = ({ path }, res) => void (path !== hangs && res.end());
      const asked = await send(binding, 'ask x', { id, url: receiver.url(hangs) });
      const works = { taskId: asked.id, id: 'works', url: receiver.url('/works') };
      await binding.call('CreateTaskPushNotificationConfig', works);
      const { result } = await binding.call('CancelTask', { id: asked.id });
      const told = (await received('/works', 1)).map(stateOf);
      await received(hangs, 1);
      const failed = nextFailure(id);
      clock.skip(10_000);
      await failed;
      clock.skip(2_000);
      const again = await received(hangs, 2);
      expect([result.status.state, told]).toEqual(['TASK_STATE_CANCELED', ['TASK_STATE_CANCELED']]);
      // The same change again: what hangs has not been told yet.
      expect(new Set(again.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
      return [result.status.state, told, again.map(stateOf)];
    },
  ],
  [
    '[143] A webhook on a private address is refused at once, however it is spelled, and a redirect is not followed. (§13.2)',
    async (binding) => {
      const reasons = [];
      for (const url of [
        'https://127.0.0.2/',
        'https://10.0.0.1/',
        'https://169.254.169.254/latest',
        'https://[::1]/',
        'https://[::ffff:192.168.0.1]/',
        'https://0x7f.2/',
      ]) {
        reasons.push(await refusal(binding, url));
      }
      receiver.respond = (_request, res) => void res.writeHead(302, { Location: receiver.url('/secret') }).end();
      await send(binding, 'hello', { url: receiver.url('/moved') });
      await received('/moved', 1);
      expect(at('/secret')).toEqual([]);
      return reasons;
    },
  ],
  [
    '[144] A webhook must be https, and its token and credentials come back in no answer. (§13.2)',
    async (binding) => {
      const refusals = [];
      for (const url of [
        'http://1.1.1.1/',
        'http://[2606:4700::1111]:8080/',
        'ftp://hooks.example/',
        'hooks.example',
      ]) {
        refusals.push(await refusal(binding, url));
      }
      const secrets = { token: 'token-kept', authentication: { scheme: 'Bearer', credentials: 'secret-kept' } };
      const sent = await send(binding, 'hello', { id: 'https', url: receiver.url('/https'), ...secrets });
      const read = await binding.call('GetTaskPushNotificationConfig', { taskId: sent.id, id: 'https' });
      const created = await binding.call('CreateTaskPushNotificationConfig', {
        taskId: sent.id,
        id: 'again',
        url: receiver.url('/https'),
        ...secrets,
      });
      expect(JSON.stringify(sent) + read.answer.text + created.answer.text).not.toContain('-kept');
      return [refusals, read.result.authentication, created.result.authentication];
    },
  ],
  [
    "[145] Nobody reads a webhook's secrets, and nobody but its caller reads that there is one. (§13.1)",
    async (binding) => {
      const secrets = { token: 'token-of-ours', authentication: { scheme: 'Bearer', credentials: 'secret-of-ours' } };
      const { id } = await send(binding, 'hello', { id: 'e', url: receiver.url('/e'), ...secrets });
      const own = await binding.call('ListTaskPushNotificationConfigs', { taskId: id });
      const foreign = await binding.call('ListTaskPushNotificationConfigs', { taskId: id }, { key: KEYS.ann });
      expect(own.answer.text + foreign.answer.text).not.toMatch(/of-ours/);
      return [Object.keys(own.result.configs[0]).sort(), foreign.error?.reason];
    },
  ],
]);

describe.each([overRpc(server), overRest(server)].map((legacy) => [legacy.name, legacy] as const))(
  '%s',
  (_name, legacy) => {
    const register = async (taskId: string, config: object): Promise<Any> =>
      legacy.isRpc
        ? (await legacyRpc('set', { taskId, pushNotificationConfig: config })).result
        : (await legacyRest('POST', taskId, '', { pushNotificationConfig: config })).json;
    const legacyRpc = async (verb: string, params: object): Promise<Any> =>
      (await server.rpc(`tasks/pushNotificationConfig/${verb}`, params, { headers: OLD })).json;
    const legacyRest = (method: string, taskId: string, rest = '', body?: object) =>
      server.send(method, `/a2a/v1/tasks/${taskId}/pushNotificationConfigs${rest}`, {
        headers: OLD,
        ...(body && { body }),
      });

    it('[C12] A webhook travels in the old nesting, and the first of several schemes is kept. (0.3)', async () => {
      const task = legacy.task(await legacy.send([legacy.text('ask x')]));
      const authentication = { schemes: ['Bearer', 'Basic'], credentials: 'c' };
      const made = await register(task.id, { id: 'x', url: receiver.url('/x'), token: 't', authentication });
      const shown = { id: 'x', url: receiver.url('/x'), authentication: { schemes: ['Bearer'] } };
      const expected = legacy.isRpc
        ? { taskId: task.id, pushNotificationConfig: shown }
        : { name: `tasks/${task.id}/pushNotificationConfigs/x`, pushNotificationConfig: shown };
      expect(made).toEqual(expected);
      if (legacy.isRpc) {
        expect((await legacyRpc('get', { id: task.id, pushNotificationConfigId: 'x' })).result).toEqual(expected);
        expect((await legacyRpc('list', { id: task.id })).result).toEqual([expected]);
        expect((await legacyRpc('delete', { id: task.id, pushNotificationConfigId: 'x' })).result).toBeNull();
        expect((await legacyRpc('list', { id: task.id })).result).toEqual([]);
      } else {
        expect((await legacyRest('GET', task.id, '/x')).json).toEqual(expected);
        expect((await legacyRest('GET', task.id)).json).toEqual({ configs: [expected] });
        expect((await legacyRest('DELETE', task.id, '/x')).status).toBe(204);
        expect((await legacyRest('GET', task.id)).json).toEqual({ configs: [] });
      }
    });

    it('[C13] A webhook that was registered over 0.3 is POSTed the bare task of 0.3, whoever drives the task. (0.3)', async () => {
      const config = { url: receiver.url('/old'), token: 'tok' };
      const inline = legacy.isRpc ? { pushNotificationConfig: config } : { pushNotification: config };
      const task = legacy.task(await legacy.send([legacy.text('ask x')], {}, inline));
      const answer = sendParams('bye', { taskId: task.id, contextId: task.contextId });
      await server.rpc('SendMessage', answer);
      const requests = await received('/old', 4);
      const bodies = requests.map(({ body }) => JSON.parse(body));
      expect(bodies.map(({ status }) => status.state)).toEqual(['working', 'input-required', 'working', 'completed']);
      for (const body of bodies) expect(body).toMatchObject({ kind: 'task', id: task.id, contextId: task.contextId });
      expect(bodies.at(-1).artifacts[0].parts[0]).toMatchObject({ kind: 'text' });
      for (const { headers } of requests) {
        expect([headers['content-type'], headers['x-a2a-notification-token']]).toEqual(['application/json', 'tok']);
      }
    });
  },
);

describe('JSON-RPC', () => {
  it("[C12] Without the id of a webhook, it is the task's first that is asked for. (0.3)", async () => {
    const legacy = overRpc(server);
    const task = legacy.task(await legacy.send([legacy.text('ask x')]));
    for (const id of ['one', 'two']) {
      const params = { taskId: task.id, pushNotificationConfig: { id, url: receiver.url(`/${id}`) } };
      await server.rpc('tasks/pushNotificationConfig/set', params, { headers: OLD });
    }
    const { json } = await server.rpc('tasks/pushNotificationConfig/get', { id: task.id }, { headers: OLD });
    expect(json.result.pushNotificationConfig.id).toBe('one');
    const missing = await server.rpc('GetTaskPushNotificationConfig', { taskId: task.id });
    expect(missing.json.error.code).toBe(-32602);
  });

  it('[C12] The card of 0.3 offers webhooks. (0.3)', async () => {
    const { json } = await server.send('GET', '/.well-known/agent-card.json', { headers: { 'A2A-Version': '0.3' } });
    expect(json.capabilities.pushNotifications).toBe(true);
  });
});
