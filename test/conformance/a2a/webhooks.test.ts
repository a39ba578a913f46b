// Webhooks: their configuration and what is posted to them, over each binding.
import { afterAll, beforeAll, expect } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import { KEYS, sendParams, useBridgeServer } from '../../surfaces/a2a-bridge/bridge-server.js';
import { Receiver, type ReceivedRequest } from '../../support/receiver.js';
import type { Any, Binding, CallOptions } from './binding.js';
import { overEachBinding } from './scenario.js';

const server = useBridgeServer({ grpcPort: 0, allowPrivate: ['127.0.0.1'] });
const without = useBridgeServer({ grpcPort: 0 });
const receiver = new Receiver();
beforeAll(() => receiver.start());
beforeAll(() => void (without.switchboard.core.capabilities.has = () => false));
afterAll(() => receiver.stop());

/** Its form is looked at, nothing is sent there. */
const ELSEWHERE = 'https://8.8.8.8/hook';
const CONFIG_OPERATIONS = ['Create', 'Get', 'Delete'].map((verb) => `${verb}TaskPushNotificationConfig`);
const LIST = 'ListTaskPushNotificationConfigs';

const send = async (binding: Binding, text: string, extra: object = {}, configuration?: object): Promise<Any> =>
  (await binding.call('SendMessage', sendParams(text, { ...extra }, configuration))).result.task;
const asking = async (binding: Binding, key?: string): Promise<string> =>
  (await binding.call('SendMessage', sendParams('ask name?'), { key })).result.task.id;
const create = (binding: Binding, taskId: string, config: object, options?: CallOptions) =>
  binding.call('CreateTaskPushNotificationConfig', { taskId, ...config }, options);
const get = (binding: Binding, taskId: string, id: string) =>
  binding.call('GetTaskPushNotificationConfig', { taskId, id });
const list = async (binding: Binding, taskId: string): Promise<Any[]> =>
  (await binding.call(LIST, { taskId })).result.configs;

/** A path of its own for each webhook of a run. */
const hook = (binding: Binding, name: string): { path: string; url: string } => {
  const path = `/${binding.name[0]}-${name}`;
  return { path, url: receiver.url(path) };
};
/** What a webhook has been sent, once it is so much. */
async function told(path: string, count: number): Promise<ReceivedRequest[]> {
  const mine = (): ReceivedRequest[] => receiver.requests.filter((request) => request.path === path);
  while (mine().length < count) await receiver.received(receiver.requests.length + 1);
  return mine();
}
const states = (requests: readonly ReceivedRequest[]): string[] =>
  requests.map(({ body }) => {
    const { task, statusUpdate } = JSON.parse(body) as Any;
    return (task ?? statusUpdate).status.state;
  });

overEachBinding(server, 'webhooks', [
  [
    '[91] A webhook that comes with a message is one of the task that the message makes, and is called. (§3.2.2)',
    async (binding) => {
      const { path, url } = hook(binding, 'inline');
      const task = await send(binding, 'ask name?', {}, { taskPushNotificationConfig: { url, token: 'secret-token' } });
      const configs = await list(binding, task.id);
      expect(configs).toEqual([{ id: expect.stringMatching(/./), taskId: task.id, url }]);
      const seen = states(await told(path, 2));
      expect(seen).toEqual(['TASK_STATE_WORKING', 'TASK_STATE_INPUT_REQUIRED']);
      return seen;
    },
  ],
  [
    '[85] returnImmediately changes nothing for a webhook. (§3.2.2)',
    async (binding) => {
      const seen = [];
      for (const returnImmediately of [true, false]) {
        const { path, url } = hook(binding, `at-once-${returnImmediately}`);
        const configuration = { returnImmediately, taskPushNotificationConfig: { url } };
        await send(binding, 'say hello', {}, configuration);
        seen.push(states(await told(path, 2)));
      }
      expect(seen).toEqual(Array(2).fill(['TASK_STATE_WORKING', 'TASK_STATE_COMPLETED']));
      return seen;
    },
  ],
  [
    '[131] Creating a webhook returns it as it is stored, with an id, and reading that id returns the same. (§3.1.7)',
    async (binding) => {
      const taskId = await asking(binding);
      const made = (await create(binding, taskId, { url: ELSEWHERE })).result;
      expect(made).toEqual({ id: expect.stringMatching(/^[\w-]{1,64}$/), taskId, url: ELSEWHERE });
      expect((await get(binding, taskId, made.id)).result).toEqual(made);
      const second = (await create(binding, taskId, { url: ELSEWHERE })).result;
      expect(second.id).not.toBe(made.id);
      expect((await create(binding, taskId, { id: 'mine', url: ELSEWHERE })).result.id).toBe('mine');
      return (await list(binding, taskId)).length;
    },
  ],
  [
    '[132] A webhook is a flat object; without url, or with credentials without a scheme, it is invalid. (§4.3.1)',
    async (binding) => {
      const taskId = await asking(binding);
      const authentication = { scheme: 'Bearer', credentials: 'c' };
      const full = await create(binding, taskId, { id: 'full', url: ELSEWHERE, token: 't', authentication });
      expect(full.result).toEqual({ id: 'full', taskId, url: ELSEWHERE, authentication: { scheme: 'Bearer' } });
      const fields = [];
      for (const wrong of [
        {},
        { url: '' },
        { url: 'no url' },
        { url: ELSEWHERE, authentication: { credentials: 'c' } },
        { pushNotificationConfig: { url: ELSEWHERE } },
      ]) {
        const { error } = await create(binding, taskId, wrong);
        expect(error?.reason).toBe('INVALID_PARAMS');
        fields.push(error?.details.at(-1).fieldViolations[0].field);
      }
      expect(fields).toEqual(['url', 'url', 'url', 'authentication.scheme', 'url']);
      expect(await list(binding, taskId)).toHaveLength(1);
      return fields;
    },
  ],
  [
    '[133] A webhook outlives the process while its task is open. (§3.1.7)',
    async (binding) => {
      const { path, url } = hook(binding, 'restarted');
      const taskId = await asking(binding);
      const { id } = (await create(binding, taskId, { url })).result;
      await server.restart();
      expect((await get(binding, taskId, id)).result).toEqual({ id, taskId, url });
      await send(binding, 'Ann', { taskId });
      expect(states(await told(path, 2))).toEqual(['TASK_STATE_WORKING', 'TASK_STATE_COMPLETED']);
    },
  ],
  [
    "[134][145] Somebody else's task has no webhooks to read or to make, and none of their secrets is told. (§3.1.7, §13.1)",
    async (binding) => {
      const foreign = await asking(binding, KEYS.ann);
      const secret = { token: 'planted-token', authentication: { scheme: 'Bearer', credentials: 'planted-words' } };
      await create(binding, foreign, { id: 'c', url: ELSEWHERE, ...secret }, { key: KEYS.ann });
      const reasons = [];
      for (const taskId of [foreign, randomUUID()]) {
        for (const operation of [...CONFIG_OPERATIONS, LIST]) {
          const { error, answer } = await binding.call(operation, { taskId, id: 'c', url: ELSEWHERE });
          expect(answer.text).not.toContain('planted');
          reasons.push(error?.reason);
        }
      }
      expect(new Set(reasons)).toEqual(new Set(['TASK_NOT_FOUND']));
      const own = await binding.call(LIST, { taskId: foreign }, { key: KEYS.ann });
      expect(own.result.configs.map(({ id }: Any) => id)).toEqual(['c']);
      return reasons;
    },
  ],
  [
    '[135] A webhook that there is none of is not found, and the error names it. (§3.1.8)',
    async (binding) => {
      const { error } = await get(binding, await asking(binding), 'unheard-of');
      expect(error).toMatchObject({
        reason: 'TASK_NOT_FOUND',
        details: [{ metadata: { pushConfigId: 'unheard-of' } }],
      });
      return error?.reason;
    },
  ],
  [
    "[136] A list has all of a task's webhooks, and is there when it is empty. (§3.1.9)",
    async (binding) => {
      const taskId = await asking(binding);
      expect((await binding.call(LIST, { taskId })).result.configs).toEqual([]);
      for (const id of ['a', 'b', 'c']) await create(binding, taskId, { id, url: ELSEWHERE });
      const ids = (await list(binding, taskId)).map(({ id }) => id);
      expect(ids).toEqual(['a', 'b', 'c']);
      return ids;
    },
  ],
  [
    '[137] Deleting a webhook again succeeds too, and nothing is posted to it any more. (§3.1.10)',
    async (binding) => {
      const [gone, stays] = [hook(binding, 'gone'), hook(binding, 'stays')];
      const taskId = await asking(binding);
      for (const { path, url } of [gone, stays]) await create(binding, taskId, { id: path.slice(1), url });
      for (let n = 0; n < 2; n++) {
        const { error } = await binding.call('DeleteTaskPushNotificationConfig', { taskId, id: gone.path.slice(1) });
        expect(error).toBeUndefined();
      }
      expect(await list(binding, taskId)).toHaveLength(1);
      await send(binding, 'Ann', { taskId });
      await told(stays.path, 2);
      expect(await told(gone.path, 0)).toEqual([]);
    },
  ],
  [
    '[138] Each webhook of a task is told. (§4.3.3)',
    async (binding) => {
      const hooks = [hook(binding, 'one'), hook(binding, 'two')];
      const taskId = await asking(binding);
      for (const { url } of hooks) await create(binding, taskId, { url });
      await binding.call('CancelTask', { id: taskId });
      const seen = [];
      for (const { path } of hooks) seen.push(states(await told(path, 1)));
      expect(seen).toEqual(Array(2).fill(['TASK_STATE_CANCELED']));
      return seen;
    },
  ],
  [
    '[139] What is posted is a stream response in the form of HTTP+JSON, whatever the binding. (§4.3.3, §3.5.1)',
    async (binding) => {
      const { path, url } = hook(binding, 'form');
      const task = await send(binding, 'say hello', {}, { taskPushNotificationConfig: { url } });
      const requests = await told(path, 2);
      for (const { method, headers, body } of requests) {
        expect([method, headers['content-type']]).toEqual(['POST', 'application/a2a+json']);
        const said = JSON.parse(body) as Any;
        const [kind, ...more] = Object.keys(said);
        expect(['task', 'message', 'statusUpdate', 'artifactUpdate']).toContain(kind);
        expect(more).toEqual([]);
        expect(said[kind as string].id ?? said[kind as string].taskId).toBe(task.id);
      }
      return requests.map(({ body }) => JSON.parse(body) as unknown);
    },
  ],
  [
    '[140] The credentials of a webhook are sent in its scheme; what could break out of a header is refused. (§4.3.3, §13.2)',
    async (binding) => {
      const seen = [];
      for (const [name, scheme] of [
        ['bearer', 'Bearer'],
        ['basic', 'Basic'],
        ['lower', 'bearer'],
      ] as const) {
        const { path, url } = hook(binding, name);
        const authentication = { scheme, credentials: 'dXNlcjpwYXNz' };
        await send(binding, 'say hello', {}, { taskPushNotificationConfig: { url, authentication } });
        for (const { headers } of await told(path, 2)) seen.push(headers.authorization?.toLowerCase());
      }
      expect(seen).toEqual(['bearer', 'bearer', 'basic', 'basic', 'bearer', 'bearer'].map((s) => `${s} dxnlcjpwyxnz`));
      const split = { scheme: 'Bearer', credentials: 'x\r\nX-Planted: y' };
      const { error } = await create(binding, await asking(binding), { url: ELSEWHERE, authentication: split });
      expect(error?.reason).toBe('INVALID_PARAMS');
      return seen;
    },
  ],
]);

overEachBinding(without, 'webhooks that are not offered', [
  [
    '[92][172] Without the capability a message with a webhook is refused, and no task is made. (§3.3.4, §5.4)',
    async (binding) => {
      const { capabilities } = (await without.send('GET', '/.well-known/agent-card.json', { key: '' })).json;
      expect(capabilities.pushNotifications ?? false).toBe(false);
      const before = (await binding.call('ListTasks')).result.totalSize;
      const reasons = [];
      for (const operation of ['SendMessage', 'SendStreamingMessage']) {
        const params = sendParams('hi', {}, { taskPushNotificationConfig: { url: ELSEWHERE } });
        const { error, answer } = await binding.call(operation, params);
        expect(answer.headers.get('content-type')).toMatch(binding.errorType);
        reasons.push([error?.code, error?.reason]);
      }
      expect((await binding.call('ListTasks')).result.totalSize).toBe(before);
      const code = binding.tells({ rpc: -32003, rest: 400, grpc: status.FAILED_PRECONDITION });
      expect(reasons).toEqual(Array(2).fill([code, 'PUSH_NOTIFICATION_NOT_SUPPORTED']));
    },
  ],
  [
    '[130][172] Without the capability none of the four operations on webhooks is supported. (§3.3.4, §5.4)',
    async (binding) => {
      const taskId = await asking(binding);
      const reasons = [];
      for (const operation of [...CONFIG_OPERATIONS, LIST]) {
        reasons.push((await binding.call(operation, { taskId, id: 'c', url: ELSEWHERE })).error?.reason);
      }
      expect(reasons).toEqual(Array(4).fill('PUSH_NOTIFICATION_NOT_SUPPORTED'));
      return reasons;
    },
  ],
]);
