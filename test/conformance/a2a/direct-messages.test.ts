// Agents that answer with one Message instead of a task, over each binding and in 0.3.
import { status } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import type { RunOutcome } from '../../../src/executors/contract.js';
import { KEYS, sendParams, useBridgeServer } from '../../surfaces/a2a-bridge/bridge-server.js';
import { ManualAgent, type ManualTurn } from '../../support/manual-agent.js';
import type { Any } from './binding.js';
import { refusal, say, text, useLegacyStub } from './legacy-grpc-stub.js';
import { overEachBinding } from './scenario.js';

const agent = new ManualAgent('message');
const server = useBridgeServer({ grpcPort: 0 }, [agent.plugin]);
const MANUAL = { key: KEYS.max, at: '/agents/manual/a2a' };
const done: RunOutcome = { kind: 'completed', parts: [{ text: 'the answer' }] };

/** What a send brings, once the turn is ended as given. */
async function answered(
  sending: Promise<Any>,
  end: (turn: ManualTurn) => void = (turn) => turn.end(done),
): Promise<Any> {
  end(await agent.next());
  return sending;
}

overEachBinding(server, 'direct messages', [
  [
    '[81][85][152] The answer is one message, whatever returnImmediately says; it has its context and no task. (§3.1.1, §3.2.2, §4.1.4)',
    async (binding) => {
      const seen = [];
      for (const returnImmediately of [false, true]) {
        const params = sendParams('hi', {}, { returnImmediately });
        const { result } = await answered(binding.call('SendMessage', params, MANUAL));
        expect(Object.keys(result)).toEqual(['message']);
        expect(result.message).toMatchObject({ role: 'ROLE_AGENT', parts: [{ text: 'the answer' }] });
        expect(result.message.contextId).toMatch(/./);
        expect(result.message).not.toHaveProperty('taskId');
        seen.push(result.message);
      }
      return seen.map(({ parts }) => parts);
    },
  ],
  [
    '[97][85] A stream is that one message, and ends. (§3.1.2, §3.2.2)',
    async (binding) => {
      const params = sendParams('hi', {}, { returnImmediately: true });
      const events = await answered(binding.events('SendStreamingMessage', params, MANUAL), (turn) => {
        turn.handle.delta('not shown');
        turn.handle.artifact({ artifactId: 'a', parts: [{ text: 'not shown' }] });
        turn.end(done);
      });
      expect(events).toHaveLength(1);
      expect(events[0].message).not.toHaveProperty('taskId');
      return events[0].message.parts;
    },
  ],
  [
    '[97] The task behind a message is found by no operation and in no list. (§3.1.2)',
    async (binding) => {
      let id = '';
      await answered(binding.call('SendMessage', sendParams('hi'), MANUAL), (turn) => {
        id = turn.prompt.taskId;
        turn.end(done);
      });
      const webhook = { taskId: id, id: 'c', url: 'https://8.8.8.8/hook' };
      const calls: [string, object][] = [
        ['GetTask', { id }],
        ['CancelTask', { id }],
        ['SubscribeToTask', { id }],
        ['SendMessage', sendParams('more', { taskId: id }) as object],
        ['SendStreamingMessage', sendParams('more', { taskId: id }) as object],
        ...['Create', 'Get', 'Delete'].map((verb): [string, object] => [`${verb}TaskPushNotificationConfig`, webhook]),
        ['ListTaskPushNotificationConfigs', { taskId: id }],
      ];
      const reasons = [];
      for (const [operation, params] of calls)
        reasons.push((await binding.call(operation, params, MANUAL)).error?.reason);
      expect(reasons).toEqual(Array(calls.length).fill('TASK_NOT_FOUND'));
      const { tasks } = (await binding.call('ListTasks', {}, MANUAL)).result;
      expect(tasks.map((task: Any) => task.id)).not.toContain(id);
    },
  ],
  [
    '[89] The message consists of what acceptedOutputModes lists, in an answer and in a stream; one of which nothing is left says so. (§3.2.2)',
    async (binding) => {
      const parts = [{ text: 'words' }, { data: { n: 3 } }, { url: 'https://files.example/a.bin', mediaType: 'a/b' }];
      const got = async (end: RunOutcome, ...acceptedOutputModes: string[]): Promise<Any[]> => {
        const params = (): unknown => sendParams('hi', {}, { acceptedOutputModes });
        const finish = (turn: ManualTurn): void => turn.end(end);
        const { result } = await answered(binding.call('SendMessage', params(), MANUAL), finish);
        const events = await answered(binding.events('SendStreamingMessage', params(), MANUAL), finish);
        expect(events.map(({ message }: Any) => message.parts)).toEqual([result.message.parts]);
        return result.message.parts;
      };
      const all: RunOutcome = { kind: 'completed', parts };
      expect(await got(all)).toHaveLength(3);
      const [words, data, ...none] = await got(all, 'text/plain');
      expect([words.text, JSON.parse(data.text), none]).toEqual(['words', { n: 3 }, []]);
      expect(await got(all, 'application/json')).toMatchObject([{ data: 'words' }, { data: { n: 3 } }]);
      expect(await got(all, 'a/*')).toMatchObject([{ url: 'https://files.example/a.bin' }]);
      expect(await got(all, 'image/png')).toMatchObject([{ text: expect.stringContaining('that you accept') }]);
      const failed = await got({ kind: 'failed', text: 'no paper' }, 'image/png');
      expect(failed).toMatchObject([{ text: expect.stringContaining('no paper') }]);
      return got(all, 'application/json');
    },
  ],
  [
    '[97] An agent that changes how it answers lists the tasks it answered with, and never those behind messages. (§3.1.2)',
    async (binding) => {
      const contextId = `mode-${binding.name.replaceAll(/\W/g, '')}`;
      const lists = async (): Promise<Any[]> => {
        const of = async (more: object): Promise<Any> => (await binding.call('ListTasks', more, MANUAL)).result;
        const [whole, context] = [await of({}), await of({ contextId, includeArtifacts: true })];
        expect([whole.totalSize, context.totalSize]).toEqual([whole.tasks.length, context.tasks.length]);
        return [whole, context].map(({ tasks }) => tasks.map(({ id }: Any) => id));
      };
      const say = (): Promise<Any> => answered(binding.call('SendMessage', sendParams('hi', { contextId }), MANUAL));
      const [before] = await lists();
      expect((await say()).result).toHaveProperty('message');
      agent.replies = undefined;
      const { task } = (await say()).result;
      expect(await lists()).toEqual([[task.id, ...before], [task.id]]);
      agent.replies = 'message';
      expect((await say()).result).toHaveProperty('message');
      expect(await lists()).toEqual([[task.id, ...before], [task.id]]);
      expect((await binding.call('GetTask', { id: task.id }, MANUAL)).result.id).toBe(task.id);
      return [];
    },
  ],
  [
    '[85] An agent that decides by the message answers some with a message and makes tasks of the others. (§3.2.2)',
    async (binding) => {
      agent.replies = ({ parts: [first] }) => (first && 'text' in first && first.text === 'quick' ? 'message' : 'task');
      try {
        const send = async (text: string): Promise<Any> =>
          (await answered(binding.call('SendMessage', sendParams(text), MANUAL))).result;
        const [quick, slow, again] = [await send('quick'), await send('slow'), await send('quick')];
        expect([quick, slow, again].flatMap((result) => Object.keys(result))).toEqual(['message', 'task', 'message']);
        const events = await answered(binding.events('SendStreamingMessage', sendParams('slow'), MANUAL));
        expect(events[0]).toHaveProperty('task');
        expect(events.at(-1).statusUpdate.status.state).toBe('TASK_STATE_COMPLETED');
        const { tasks } = (await binding.call('ListTasks', {}, MANUAL)).result;
        expect(tasks.map(({ id }: Any) => id)).toContain(slow.task.id);
      } finally {
        agent.replies = 'message';
      }
      return [];
    },
  ],
  [
    '[196] A message sent again is answered by the same message, also while the first is still being answered. (§3.3.1)',
    async (binding) => {
      const params = sendParams('once');
      const [first, second] = [
        binding.call('SendMessage', params, MANUAL),
        binding.call('SendMessage', params, MANUAL),
      ];
      (await agent.next()).end(done);
      const messages = [await first, await second, await binding.call('SendMessage', params, MANUAL)];
      const [{ result }] = messages as [Any];
      expect(result.message.parts).toEqual([{ text: 'the answer' }]);
      for (const again of messages) expect(again.result).toEqual(result);
    },
  ],
  [
    '[85] A webhook with the message changes nothing: there is no task to tell of. A failure is told in words. (§3.2.2)',
    async (binding) => {
      const configuration = { taskPushNotificationConfig: { url: 'https://8.8.8.8/hook' } };
      const { result } = await answered(
        binding.call('SendMessage', sendParams('x', {}, configuration), MANUAL),
        (turn) => turn.end({ kind: 'failed', text: 'it did not work' }),
      );
      expect(JSON.stringify(result.message.parts)).toContain('it did not work');
      return result.message.parts;
    },
  ],
]);

describe('a client of 0.3', () => {
  const headers = { 'A2A-Version': '' };
  const old = { key: KEYS.max, headers };
  const message = (id: string, more: object) => ({ message: { messageId: id, ...more } });

  it('[C6] gets the message as 0.3 wrote it, in an answer and in a stream. (0.3)', async () => {
    const rpc = (id: string) => message(id, { kind: 'message', role: 'user', parts: [{ kind: 'text', text: 'hi' }] });
    const at = { ...old, path: '/agents/manual/a2a' };
    const { result } = (await answered(server.rpc('message/send', rpc('d-1'), at))).json;
    expect(result).toMatchObject({ kind: 'message', role: 'agent', parts: [{ kind: 'text', text: 'the answer' }] });
    expect(result).not.toHaveProperty('taskId');
    const stream = await answered(server.rpc('message/stream', rpc('d-2'), at));
    expect(stream.text.match(/"kind":"message"/g)).toHaveLength(1);
    const body = message('d-3', { role: 'ROLE_USER', content: [{ text: 'hi' }] });
    const rest = await answered(server.send('POST', '/agents/manual/a2a/v1/message:send', { ...old, body }));
    expect(rest.json.message).toMatchObject({ role: 'ROLE_AGENT', content: [{ text: 'the answer' }] });
  });

  // A key that is for this agent alone: the service of 0.3 has no name for one.
  const stub = useLegacyStub(server, KEYS.mia);
  const told = {
    $case: 'msg',
    value: expect.objectContaining({ role: 2, taskId: '', content: [text('the answer')] }),
  };

  describe('gRPC', () => {
    it('[C6] gets the message as 0.3 wrote it, in an answer and in a stream. (0.3)', async () => {
      const { payload } = await answered(stub.call('sendMessage', say('hi')));
      expect(payload).toEqual(told);
      expect(payload.value.contextId).toMatch(/./);
      expect(await answered(stub.events('sendStreamingMessage', say('hi')))).toEqual([told]);
    });

    it('[C6][C10] The message comes when it is ready, blocking or not, and again for the same message id. (0.3)', async () => {
      const configuration = { acceptedOutputModes: [], historyLength: 0, blocking: false };
      const pushNotification = { id: '', url: 'https://8.8.8.8/hook', token: '', authentication: undefined };
      const request = { ...say('once'), configuration: { ...configuration, pushNotification } };
      const first = await answered(stub.call('sendMessage', request));
      expect(first.payload).toEqual(told);
      expect(await stub.call('sendMessage', request)).toEqual(first);
    });

    it('[C6] The message consists of the accepted output modes, and a failure is told in words. (0.3)', async () => {
      const configuration = { pushNotification: undefined, historyLength: 0, blocking: true };
      const got = async (mode: string, end: RunOutcome): Promise<Any> => {
        const request = { ...say('hi'), configuration: { ...configuration, acceptedOutputModes: [mode] } };
        const { payload } = await answered(stub.call('sendMessage', request), (turn) => turn.end(end));
        return payload.value.content;
      };
      const parts = [{ text: 'words' }, { data: { n: 3 } }];
      const [words, data] = await got('text/plain', { kind: 'completed', parts });
      expect([words, JSON.parse(data.part.value)]).toEqual([text('words'), { n: 3 }]);
      const failed = await got('text/plain', { kind: 'failed', text: 'no paper' });
      expect(failed).toMatchObject([{ part: { value: expect.stringContaining('no paper') } }]);
    });

    it('[C6][C18] The task behind a message is found by no operation. (0.3)', async () => {
      let name = '';
      await answered(stub.call('sendMessage', say('hi')), (turn) => {
        name = `tasks/${turn.prompt.taskId}`;
        turn.end(done);
      });
      const config = { name: '', pushNotificationConfig: { id: 'c', url: 'https://8.8.8.8/hook', token: '' } };
      const calls = [
        stub.call('getTask', { name, historyLength: 0 }),
        stub.call('cancelTask', { name }),
        stub.call('sendMessage', say('more', { taskId: name.slice('tasks/'.length) })),
        stub.call('createTaskPushNotificationConfig', { parent: name, configId: 'c', config }),
        stub.call('listTaskPushNotificationConfig', { parent: name, pageSize: 0, pageToken: '' }),
        stub.events('taskSubscription', { name }),
      ];
      const refusals = await Promise.all(calls.map(refusal));
      expect(refusals.map(({ code }) => code)).toEqual(calls.map(() => status.NOT_FOUND));
    });
  });
});
