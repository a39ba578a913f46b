// GetTask, ListTasks, CancelTask and what never changes again, over each binding.
import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { KEYS, sendParams, useBridgeServer } from '../../surfaces/a2a-bridge/bridge-server.js';
import { ManualAgent } from '../../support/manual-agent.js';
import type { Any, Binding } from './binding.js';
import { overEachBinding } from './scenario.js';

const agent = new ManualAgent();
const server = useBridgeServer({ grpcPort: 0 }, [agent.plugin]);
const MANUAL = { key: KEYS.max, at: '/agents/manual/a2a' };

const send = async (binding: Binding, text: string, extra: object = {}, key?: string): Promise<Any> =>
  (await binding.call('SendMessage', sendParams(text, { ...extra }), { key })).result.task;
const list = async (binding: Binding, params: object = {}, key?: string): Promise<Any> =>
  (await binding.call('ListTasks', params, { key })).result;

/** All pages from the first. */
async function pages(binding: Binding, params: object): Promise<Any[]> {
  const found = [await list(binding, params)];
  while (found.at(-1).nextPageToken)
    found.push(await list(binding, { ...params, pageToken: found.at(-1).nextPageToken }));
  return found;
}

async function several(binding: Binding, count: number): Promise<string> {
  const contextId = `c-${randomUUID()}`;
  for (let n = 0; n < count; n++) await send(binding, `n${n}`, { contextId });
  return contextId;
}

overEachBinding(server, 'tasks', [
  [
    "[113][170] A task is read as it is now; an unknown one and somebody else's are not found. (§3.1.3, §5.4)",
    async (binding) => {
      const events = await binding.events('SendStreamingMessage', sendParams('say done'));
      const { id } = events[0].task;
      const { result } = await binding.call('GetTask', { id });
      expect(result.status).toEqual(events.at(-1).statusUpdate.status);
      const foreign = await send(binding, 'hi', {}, KEYS.ann);
      const reasons = [];
      for (const other of [randomUUID(), foreign.id, 'x', ' ']) {
        reasons.push((await binding.call('GetTask', { id: other })).error?.reason);
      }
      expect(new Set(reasons)).toEqual(new Set(['TASK_NOT_FOUND']));
      return result;
    },
  ],
  [
    '[115] A list holds only what its caller may see, with a total of just that, also where contexts are named alike. (§3.1.4, §13.1)',
    async (binding) => {
      const contextId = `c-${randomUUID()}`;
      const mine = [await send(binding, 'hi', { contextId }), await send(binding, 'hi')];
      const foreign = await send(binding, 'hi', { contextId }, KEYS.ann);
      const ids = async (key: string): Promise<string[]> => {
        const found = [await list(binding, { pageSize: 100 }, key)];
        while (found.at(-1).nextPageToken)
          found.push(await list(binding, { pageSize: 100, pageToken: found.at(-1).nextPageToken }, key));
        const all = found.flatMap(({ tasks }) => tasks.map(({ id }: Any) => id));
        expect(new Set(found.map(({ totalSize }) => totalSize))).toEqual(new Set([all.length]));
        return all;
      };
      const [bobs, anns] = [await ids(KEYS.bob), await ids(KEYS.ann)];
      expect(bobs).toEqual(expect.arrayContaining(mine.map(({ id }) => id)));
      expect(anns).toContain(foreign.id);
      expect(bobs.filter((id) => anns.includes(id))).toEqual([]);
      const alike = [await list(binding, { contextId }), await list(binding, { contextId }, KEYS.ann)];
      expect(alike.map(({ totalSize }) => totalSize)).toEqual([1, 1]);
      return (await list(binding, {}, KEYS.betaBob)).totalSize;
    },
  ],
  [
    '[119] A page size outside 1 to 100 is invalid. (§3.1.4)',
    async (binding) => {
      const errors = [];
      for (const pageSize of [0, -1, 101]) {
        const { error } = await binding.call('ListTasks', { pageSize });
        errors.push([error?.reason, error?.details.at(-1).fieldViolations[0].field]);
      }
      expect(errors).toEqual(Array(3).fill(['INVALID_PARAMS', 'pageSize']));
      return errors;
    },
  ],
  [
    '[120] A list always has its four members, and an empty token on the last page only. (§3.1.4)',
    async (binding) => {
      const empty = await list(binding, { contextId: 'nothing-here' });
      expect(empty).toEqual({ tasks: [], nextPageToken: '', pageSize: 50, totalSize: 0 });
      const found = await pages(binding, { contextId: await several(binding, 4), pageSize: 2 });
      expect(found.map(({ nextPageToken }) => nextPageToken === '')).toEqual([false, true]);
      return found.length;
    },
  ],
  [
    '[122] Filters by context, state and time hold together, the time included. (§3.1.4)',
    async (binding) => {
      const contextId = await several(binding, 1);
      const { status } = (await list(binding, { contextId })).tasks[0];
      const at = Date.parse(status.timestamp);
      const count = async (params: object): Promise<number> =>
        (await list(binding, { contextId, ...params })).totalSize;
      const counts = [
        await count({ status: 'TASK_STATE_COMPLETED' }),
        await count({ status: 'TASK_STATE_FAILED' }),
        await count({ statusTimestampAfter: status.timestamp }),
        await count({ statusTimestampAfter: new Date(at + 1).toISOString() }),
        await count({ statusTimestampAfter: status.timestamp, status: 'TASK_STATE_FAILED' }),
      ];
      expect(counts).toEqual([1, 0, 1, 0, 0]);
      return counts;
    },
  ],
  [
    '[123] A state, a time, a length or a token that is none is invalid by the name of its field. (§3.3.2)',
    async (binding) => {
      const contextId = await several(binding, 2);
      const { nextPageToken } = await list(binding, { contextId, pageSize: 1 });
      expect(nextPageToken).not.toBe('');
      const wrong = [
        { status: 'TASK_STATE_RUNNING' },
        // Over gRPC a time is a number of seconds.
        ...(binding.isHttp
          ? [{ statusTimestampAfter: '1700000000' }, { statusTimestampAfter: '2026-02-30T00:00:00Z' }]
          : []),
        { historyLength: -5 },
        { pageToken: 'bWFkZSB1cA' },
        { pageToken: nextPageToken },
      ];
      const fields = [];
      for (const params of wrong) {
        const { error } = await binding.call('ListTasks', params);
        expect(error?.reason).toBe('INVALID_PARAMS');
        fields.push(error?.details.at(-1).fieldViolations[0].field);
      }
      expect(fields).toEqual(wrong.map((params) => Object.keys(params)[0]));
      const foreign = await binding.call(
        'ListTasks',
        { contextId, pageSize: 1, pageToken: nextPageToken },
        { key: KEYS.ann },
      );
      expect(foreign.error?.reason).toBe('INVALID_PARAMS');
      return foreign.error?.details;
    },
  ],
  [
    '[124] Listed tasks have artifacts only when they are asked for. (§3.1.4)',
    async (binding) => {
      const contextId = await several(binding, 1);
      const shown = async (params: object): Promise<boolean> =>
        'artifacts' in (await list(binding, { contextId, ...params })).tasks[0];
      const seen = [await shown({}), await shown({ includeArtifacts: false }), await shown({ includeArtifacts: true })];
      expect(seen).toEqual([false, false, true]);
      return seen;
    },
  ],
  [
    '[126] Canceling returns the canceled task, of work that goes on as of a question, and the agent is told to stop. (§3.1.5)',
    async (binding) => {
      const sending = binding.call('SendMessage', sendParams('go', {}, { returnImmediately: true }), MANUAL);
      const turn = await agent.next();
      const running = (await sending).result.task;
      const stopped = (await binding.call('CancelTask', { id: running.id }, MANUAL)).result;
      expect(stopped).toMatchObject({ id: running.id, status: { state: 'TASK_STATE_CANCELED' } });
      while (!turn.handle.signal.aborted) await new Promise(setImmediate);
      const { id } = await send(binding, 'ask what');
      const { result } = await binding.call('CancelTask', { id });
      expect(result).toMatchObject({ id, status: { state: 'TASK_STATE_CANCELED' } });
      expect((await binding.call('GetTask', { id })).result).toEqual(result);
      return [stopped.status, result.status];
    },
  ],
  [
    '[127][171] A task that ended otherwise is not cancelable, an unknown one not found. (§3.1.5, §5.4)',
    async (binding) => {
      const loop = { switchboard: 'a', agent: 'b' };
      const rejected = { metadata: { 'switchboard.chain': [loop, loop, loop, loop] } };
      const ended = [await send(binding, 'hi'), await send(binding, 'fail no'), await send(binding, 'x', rejected)];
      const reasons = [];
      for (const { id } of [...ended, { id: randomUUID() }])
        reasons.push((await binding.call('CancelTask', { id })).error?.reason);
      expect(reasons).toEqual([...Array(3).fill('TASK_NOT_CANCELABLE'), 'TASK_NOT_FOUND']);
      return reasons;
    },
  ],
  [
    '[128] Canceling again, one after the other or at once, returns the same canceled task. (§3.3.1)',
    async (binding) => {
      const { id } = await send(binding, 'ask what');
      const cancel = async (): Promise<Any> => (await binding.call('CancelTask', { id })).result;
      const results = [...(await Promise.all([cancel(), cancel(), cancel()])), await cancel()];
      for (const result of results) expect(result).toEqual(results[0]);
      return results[0].status.state;
    },
  ],
  [
    '[129] Of a cancel and a completion at the same moment one wins, and the stream and the store agree on which. (§3.1.5)',
    async (binding) => {
      for (let round = 0; round < 20; round++) {
        const stream = await binding.open('SendStreamingMessage', sendParams('go'), MANUAL);
        const turn = await agent.next();
        const { id } = (await stream.next()).task;
        const canceling = binding.call('CancelTask', { id }, MANUAL);
        for (let wait = 0; wait < round % 7; wait++) await new Promise(setImmediate);
        turn.end({ kind: 'completed', parts: [{ text: 'done' }] });
        const [{ result, error }, events] = [await canceling, await stream.rest()];
        const { state } = (await binding.call('GetTask', { id }, MANUAL)).result.status;
        const terminal = events.filter(({ statusUpdate }) => /COMPLETED|CANCELED/.test(statusUpdate?.status.state));
        expect(terminal.map(({ statusUpdate }) => statusUpdate.status.state)).toEqual([state]);
        expect(error?.reason ?? result.status.state).toBe(
          state === 'TASK_STATE_CANCELED' ? state : 'TASK_NOT_CANCELABLE',
        );
      }
    },
  ],
  [
    '[168] A task that has ended never changes again, whatever its agent still says. (§3.4.3)',
    async (binding) => {
      const stream = await binding.open('SendStreamingMessage', sendParams('go'), MANUAL);
      const turn = await agent.next();
      const { id } = (await stream.next()).task;
      turn.end({ kind: 'completed', parts: [{ text: 'done' }] });
      await stream.rest();
      const before = (await binding.call('GetTask', { id }, MANUAL)).result;
      turn.handle.delta('too late');
      turn.handle.status('still here');
      turn.end({ kind: 'failed', text: 'too late' });
      await binding.call('CancelTask', { id }, MANUAL);
      expect((await binding.call('GetTask', { id }, MANUAL)).result).toEqual(before);
      return before.status.state;
    },
  ],
]);
