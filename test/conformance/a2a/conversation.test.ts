// Contexts, questions and permission: messages that belong together, over each binding.
import { status } from '@grpc/grpc-js';
import { expect } from '@jest/globals';
import { KEYS, sendParams, useBridgeServer } from '../../surfaces/a2a-bridge/bridge-server.js';
import type { Any, Binding } from './binding.js';
import { overEachBinding } from './scenario.js';

const server = useBridgeServer({ grpcPort: 0 });

const send = async (binding: Binding, text: string, extra: object = {}): Promise<Any> => {
  const { result, error } = await binding.call('SendMessage', sendParams(text, { ...extra }));
  if (error) throw new Error(error.message);
  return result.task;
};
const total = async (binding: Binding): Promise<number> => (await binding.call('ListTasks')).result.totalSize;

overEachBinding(server, 'conversations', [
  [
    '[160][161] A context that the server made is in the answer; one that the client named is kept. (§3.4.1)',
    async (binding) => {
      expect((await send(binding, 'hi')).contextId).toMatch(/^[A-Za-z0-9_-]{1,100}$/);
      const contextId = `My_Own-${binding.name[0]}`;
      expect((await send(binding, 'hi', { contextId })).contextId).toBe(contextId);
      return (await binding.call('SendMessage', sendParams('hi', { contextId: 'a b' }))).error?.reason;
    },
  ],
  [
    '[159] A message to a task that does not exist creates none. (§3.4.2)',
    async (binding) => {
      const before = await total(binding);
      const { error } = await binding.call('SendMessage', sendParams('hi', { taskId: crypto.randomUUID() }));
      expect(await total(binding)).toBe(before);
      expect(error?.reason).toBe('TASK_NOT_FOUND');
      return error?.reason;
    },
  ],
  [
    '[163][165][169] A question is answered by a message that names the task; the context follows from it, and the answer is that task. (§3.4.3)',
    async (binding) => {
      const asked = await send(binding, 'ask which');
      const { result } = await binding.call('SendMessage', sendParams('that', { taskId: asked.id }));
      expect(result.task).toMatchObject({
        id: asked.id,
        contextId: asked.contextId,
        status: { state: 'TASK_STATE_COMPLETED' },
      });
      return result;
    },
  ],
  [
    "[164] A context other than the task's is refused before anything is kept. (§3.4.3)",
    async (binding) => {
      const asked = await send(binding, 'ask which');
      const { error } = await binding.call('SendMessage', sendParams('x', { taskId: asked.id, contextId: 'another' }));
      expect((await binding.call('GetTask', { id: asked.id })).result).toEqual(asked);
      expect([error?.code, error?.reason]).toEqual([
        binding.tells({ rpc: -32602, rest: 400, grpc: status.INVALID_ARGUMENT }),
        'INVALID_PARAMS',
      ]);
      return [error?.reason, error?.details];
    },
  ],
  [
    '[166] A context without a task opens a further task in that context. (§3.4.3)',
    async (binding) => {
      const contextId = `shared-${binding.name[0]}`;
      const [first, second] = [await send(binding, 'one', { contextId }), await send(binding, 'two', { contextId })];
      expect(first.id).not.toBe(second.id);
      const { tasks, totalSize } = (await binding.call('ListTasks', { contextId })).result;
      expect(tasks.map(({ id }: Any) => id).sort()).toEqual([first.id, second.id].sort());
      return totalSize;
    },
  ],
  [
    "[167] A reference to somebody else's task is like one to no task: nothing of it shows. (§3.4.3)",
    async (binding) => {
      const foreign = (await binding.call('SendMessage', sendParams('say private words'), { key: KEYS.ann })).result
        .task;
      const task = await send(binding, 'hi', { referenceTaskIds: [foreign.id, 'no-such-task'] });
      expect(task.status.state).toBe('TASK_STATE_COMPLETED');
      expect(task.history[0].referenceTaskIds).toEqual([foreign.id, 'no-such-task']);
      expect(JSON.stringify(task)).not.toContain('private words');
      return task.status.state;
    },
  ],
  [
    '[188][189] Work that needs permission is a task that says so and waits, takes messages meanwhile, and no message grants it. (§7.6.1)',
    async (binding) => {
      const task = await send(binding, 'auth may I');
      expect(task.status).toMatchObject({ state: 'TASK_STATE_AUTH_REQUIRED', message: { role: 'ROLE_AGENT' } });
      const after = (await binding.call('SendMessage', sendParams('granted, token 123', { taskId: task.id }))).result
        .task;
      expect(after.status.state).toBe('TASK_STATE_AUTH_REQUIRED');
      expect(after.history.length).toBeGreaterThan(task.history.length);
      return after;
    },
  ],
  [
    '[190] A grant is for the one need it answers: the next one asks again. (§7.6.4)',
    async (binding) => {
      const { id, contextId } = await send(binding, 'auth first');
      await server.decide(id, 'approve');
      let task;
      do task = (await binding.call('GetTask', { id })).result;
      while (task.status.state !== 'TASK_STATE_COMPLETED');
      const { state } = (await send(binding, 'auth second', { contextId })).status;
      expect(state).toBe('TASK_STATE_AUTH_REQUIRED');
      return state;
    },
  ],
]);
