// SendMessage, over each binding.
import { expect } from '@jest/globals';
import { KEYS, sendParams, useBridgeServer } from '../../surfaces/a2a-bridge/bridge-server.js';
import { ManualAgent } from '../../support/manual-agent.js';
import type { Any, Binding } from './binding.js';
import { overEachBinding } from './scenario.js';

const agent = new ManualAgent();
const server = useBridgeServer({ grpcPort: 0 }, [agent.plugin]);
const MANUAL = { key: KEYS.max, at: '/agents/manual/a2a' };

const send = async (binding: Binding, text: string, extra: object = {}, configuration?: object): Promise<Any> => {
  const { result, error } = await binding.call('SendMessage', sendParams(text, { ...extra }, configuration));
  if (error) throw new Error(error.message);
  return result.task;
};
const total = async (binding: Binding, key?: string): Promise<number> =>
  (await binding.call('ListTasks', {}, { key })).result.totalSize;

overEachBinding(server, 'sending', [
  [
    '[81] The answer to a message is one task, or one message, never both. (§3.1.1)',
    async (binding) => {
      const { result } = await binding.call('SendMessage', sendParams('hello'));
      expect(Object.keys(result)).toEqual(['task']);
      return result;
    },
  ],
  [
    '[82] A send waits until the task has ended or waits for somebody. (§3.2.2)',
    async (binding) => {
      const states = [];
      for (const text of ['say done', 'fail no', 'ask what', 'auth may I'])
        states.push((await send(binding, text)).status.state);
      expect(states).toEqual(
        ['COMPLETED', 'FAILED', 'INPUT_REQUIRED', 'AUTH_REQUIRED'].map((state) => `TASK_STATE_${state}`),
      );
      const running = binding.call('SendMessage', sendParams('wait 60000', { contextId: `cancel-${binding.name[0]}` }));
      let id: string | undefined;
      while (!id) {
        const { tasks } = (await binding.call('ListTasks', { contextId: `cancel-${binding.name[0]}` })).result;
        id = tasks[0]?.id;
      }
      await binding.call('CancelTask', { id });
      expect((await running).result.task.status.state).toBe('TASK_STATE_CANCELED');
      return states;
    },
  ],
  [
    '[83] The answer holds the latest status and every artifact. (§3.2.2)',
    async (binding) => {
      const task = await send(binding, 'file a.txt one; file b.txt two; data {"n":3}');
      expect(task.artifacts).toHaveLength(3);
      expect(task.status.state).toBe('TASK_STATE_COMPLETED');
      return task;
    },
  ],
  [
    '[84] With returnImmediately the answer comes while the work goes on. (§3.2.2)',
    async (binding) => {
      const params = sendParams('x', {}, { returnImmediately: true });
      const { result } = await binding.call('SendMessage', params, MANUAL);
      const turn = await agent.next();
      expect(['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING']).toContain(result.task.status.state);
      turn.end({ kind: 'completed', parts: [{ text: 'later' }] });
      const { id } = result.task;
      let task = result.task;
      while (task.status.state !== 'TASK_STATE_COMPLETED')
        task = (await binding.call('GetTask', { id }, MANUAL)).result;
      return task.artifacts;
    },
  ],
  [
    '[85] returnImmediately changes nothing for a stream. (§3.2.2)',
    async (binding) => {
      const events = await binding.events(
        'SendStreamingMessage',
        sendParams('stream 3', {}, { returnImmediately: true }),
      );
      expect(events.at(-1).statusUpdate.status.state).toBe('TASK_STATE_COMPLETED');
      return events.length > 3;
    },
  ],
  [
    '[87][173] A message to a task that has ended is an unsupported operation and leaves the task as it was. (§3.1.1, §5.4)',
    async (binding) => {
      const canceled = await send(binding, 'ask what');
      await binding.call('CancelTask', { id: canceled.id });
      const loop = { switchboard: 'a', agent: 'b' };
      const chain = { metadata: { 'switchboard.chain': [loop, loop, loop, loop] } };
      const ended = [
        await send(binding, 'hi'),
        await send(binding, 'fail no'),
        canceled,
        await send(binding, 'x', chain),
      ];
      const states = [];
      for (const { id } of ended) {
        const before = (await binding.call('GetTask', { id })).result;
        states.push(before.status.state);
        for (const operation of ['SendMessage', 'SendStreamingMessage']) {
          const { error } = await binding.call(operation, sendParams('more', { taskId: id }));
          expect(error?.reason).toBe('UNSUPPORTED_OPERATION');
        }
        expect((await binding.call('GetTask', { id })).result).toEqual(before);
      }
      expect(states).toEqual(['COMPLETED', 'FAILED', 'CANCELED', 'REJECTED'].map((state) => `TASK_STATE_${state}`));
      return states;
    },
  ],
  [
    '[88][174] A part of a media type that neither the skill nor the agent takes is refused; one without a type is not. (§3.1.1, §5.4)',
    async (binding) => {
      const before = await total(binding);
      const odd = { text: 'x', mediaType: 'application/x-unheard-of' };
      const { error } = await binding.call('SendMessage', sendParams('', { parts: [odd] }));
      expect(error?.reason).toBe('CONTENT_TYPE_NOT_SUPPORTED');
      expect(await total(binding)).toBe(before);
      // A skill that lists types of its own is judged by those.
      const skill = { id: 'odd', name: 'Odd', description: 'Odd.', tags: ['odd'], inputModes: [odd.mediaType] };
      server.write('alpha', 'card.json', { v: 1, skills: [skill, { ...skill, id: 'plain', inputModes: undefined }] });
      const asked = async (id: string): Promise<string | undefined> => {
        const params = { ...(sendParams('', { parts: [odd] }) as object), metadata: { skill: id } };
        const { result, error: refused } = await binding.call('SendMessage', params);
        return refused?.reason ?? result.task.status.state;
      };
      expect([await asked('odd'), await asked('plain')]).toEqual([
        'TASK_STATE_COMPLETED',
        'CONTENT_TYPE_NOT_SUPPORTED',
      ]);
      server.write('alpha', 'card.json', { v: 1 });
      return (await send(binding, '', { parts: [{ raw: 'AA==' }, { text: 'hi' }] })).status.state;
    },
  ],
  [
    '[89] The answer consists of what acceptedOutputModes lists. (§3.2.2)',
    async (binding) => {
      const script = 'say words; file a.bin bytes; data {"n":3}';
      const kinds = async (...acceptedOutputModes: string[]): Promise<string[]> =>
        (await send(binding, script, {}, { acceptedOutputModes })).artifacts
          .flatMap(({ parts }: Any) => parts)
          .map((part: Any) => ['text', 'raw', 'data'].find((kind) => kind in part));
      expect(new Set(await kinds())).toEqual(new Set(['text', 'raw', 'data']));
      expect(new Set(await kinds('text/plain'))).toEqual(new Set(['text']));
      const stream = await binding.events(
        'SendStreamingMessage',
        sendParams(script, {}, { acceptedOutputModes: ['text/plain'] }),
      );
      const streamed = stream.flatMap(({ artifactUpdate }) => artifactUpdate?.artifact.parts ?? []);
      for (const part of streamed) expect(part).toHaveProperty('text');
      return kinds('application/json');
    },
  ],
  [
    '[90][114] History is never longer than historyLength: its newest messages, oldest first, and with 0 none at all. (§3.2.2, §3.2.4)',
    async (binding) => {
      const full = await send(binding, 'ask one');
      const ids = (task: Any): string[] | undefined => task.history?.map(({ messageId }: Any) => messageId);
      const all = ids((await binding.call('GetTask', { id: full.id })).result) as string[];
      expect(all.length).toBeGreaterThan(1);
      for (const historyLength of [0, 1, 2, 99]) {
        const expected = historyLength === 0 ? undefined : all.slice(-historyLength);
        expect(ids((await binding.call('GetTask', { id: full.id, historyLength })).result)).toEqual(expected);
        const contextId = full.contextId;
        const listed = (await binding.call('ListTasks', { contextId, historyLength })).result.tasks[0];
        expect(ids(listed)).toEqual(expected);
        const sent = await send(binding, 'ask again', {}, { historyLength });
        expect(sent.history?.length ?? 0).toBeLessThanOrEqual(historyLength);
        expect('history' in sent).toBe(historyLength > 0);
      }
      return all.length;
    },
  ],
  [
    '[93] A send without message, messageId, role or parts is invalid before any work starts. (§3.3.2)',
    async (binding) => {
      const before = await total(binding);
      const { message } = sendParams('x') as { message: object };
      const reasons = [];
      for (const [operation, missing] of ['SendMessage', 'SendStreamingMessage'].flatMap((name) =>
        ['messageId', 'role', 'parts'].map((member) => [name, member] as const),
      )) {
        const { error, answer } = await binding.call(operation, { message: { ...message, [missing]: undefined } });
        expect(answer.headers.get('content-type')).toMatch(binding.errorType);
        const violations = error?.details.flatMap(({ fieldViolations = [] }) => fieldViolations) as Any[];
        expect(violations.map(({ field }) => field)).toEqual([`message.${missing}`]);
        reasons.push(error?.reason);
      }
      const empty = await binding.call('SendMessage', { message: { ...message, parts: [] } });
      const none = await binding.call('SendMessage', { configuration: {} });
      expect(await total(binding)).toBe(before);
      return [...reasons, empty.error?.reason, none.error?.reason];
    },
  ],
  [
    '[175] What an agent answers against the rules is no answer: the task fails with the reason, and nothing of it shows. (§5.4)',
    async (binding) => {
      const said = [];
      for (const parts of [[{ planted: 1 }], [{ text: 'planted', data: 1 }], 'planted', [null], undefined]) {
        const sending = binding.call('SendMessage', sendParams('go'), MANUAL);
        (await agent.next()).end({ kind: 'completed', parts: parts as never });
        const { task } = (await sending).result;
        expect(JSON.stringify(task)).not.toContain('planted');
        said.push([task.status.state, task.status.message.parts[0].text, task.artifacts]);
      }
      for (const [state, text] of said)
        expect([state, text]).toEqual(['TASK_STATE_FAILED', expect.stringMatching(/answer/)]);
      return said;
    },
  ],
  [
    '[94] Results are artifacts, not messages. (§3.7)',
    async (binding) => {
      const task = await send(binding, 'say the result');
      expect(JSON.stringify(task.artifacts)).toContain('the result');
      expect(task.status.message).toBeUndefined();
      return task.artifacts;
    },
  ],
  [
    '[158] Every new task gets an id of its own from the server. (§3.4.2)',
    async (binding) => {
      const ids = new Set<string>();
      for (let round = 0; round < 5; round++) {
        const sends = Array.from({ length: 50 }, () => send(binding, 'hi'));
        for (const { id } of await Promise.all(sends)) ids.add(id);
      }
      expect(ids.size).toBe(250);
    },
  ],
  [
    '[196] The same messageId of the same caller is answered by its first task; of another caller it is new. (§3.3.1)',
    async (binding) => {
      const params = sendParams('once');
      const ids = [];
      for (const key of [KEYS.bob, KEYS.bob, KEYS.ann])
        ids.push((await binding.call('SendMessage', params, { key })).result.task.id);
      expect(ids[0]).toBe(ids[1]);
      expect(ids[2]).not.toBe(ids[0]);
      const changed = { message: { ...(params as Any).message, parts: [{ text: 'other words' }] } };
      return (await binding.call('SendMessage', changed)).error?.reason;
    },
  ],
]);
