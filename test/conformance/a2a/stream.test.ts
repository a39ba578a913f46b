// SendStreamingMessage and SubscribeToTask, over each binding.
import { status } from '@grpc/grpc-js';
import { expect } from '@jest/globals';
import { KEYS, sendParams, useBridgeServer } from '../../surfaces/a2a-bridge/bridge-server.js';
import { ManualAgent, type ManualTurn } from '../../support/manual-agent.js';
import type { Any, Binding, LiveStream } from './binding.js';
import { overEachBinding } from './scenario.js';

const agent = new ManualAgent();
const server = useBridgeServer({ grpcPort: 0 }, [agent.plugin]);
const kept = useBridgeServer({ grpcPort: 0 });
const streamless = useBridgeServer({ grpcPort: 0, streaming: false });
const MANUAL = { key: KEYS.max, at: '/agents/manual/a2a' };

/** A stream whose turn the test holds. */
async function opened(binding: Binding): Promise<{ stream: LiveStream; task: Any; turn: ManualTurn }> {
  const stream = await binding.open('SendStreamingMessage', sendParams('go'), MANUAL);
  const turn = await agent.next();
  const { task } = await stream.next();
  return { stream, task, turn };
}

const subscribe = (binding: Binding, id: string): Promise<LiveStream> =>
  binding.open('SubscribeToTask', { id }, MANUAL);

/** A client's own copy of a task, made of what its stream brought. */
function replayed(events: readonly Any[]): Any {
  const [{ task }, ...updates] = structuredClone(events) as Any[];
  for (const { statusUpdate, artifactUpdate } of updates) {
    if (statusUpdate) task.status = statusUpdate.status;
    if (!artifactUpdate) continue;
    task.artifacts ??= [];
    const known = task.artifacts.find(({ artifactId }: Any) => artifactId === artifactUpdate.artifact.artifactId);
    if (!known) task.artifacts.push(artifactUpdate.artifact);
    else if (artifactUpdate.append) known.parts.push(...artifactUpdate.artifact.parts);
    else Object.assign(known, artifactUpdate.artifact);
  }
  return { state: task.status.state, texts: textsOf(task) };
}
/** A run of deltas is one text part in the stored task. */
const textsOf = ({ artifacts = [] }: Any): string[] =>
  artifacts.map(({ parts }: Any) => parts.map(({ text }: Any) => text ?? '').join(''));

overEachBinding(server, 'streams', [
  [
    '[96][98][156] A stream begins with the task; status and artifact updates follow, each event one member named by its kind. (§3.1.2, §3.2.3)',
    async (binding) => {
      const events = await binding.events('SendStreamingMessage', sendParams('stream 3; tool search'));
      const members = events.map((event) => Object.keys(event));
      for (const names of members) expect(names).toHaveLength(1);
      expect(members[0]).toEqual(['task']);
      for (const [name] of members.slice(1)) expect(['statusUpdate', 'artifactUpdate']).toContain(name);
      expect(JSON.stringify(events)).not.toMatch(/"(?:kind|final)":/);
      return events;
    },
  ],
  [
    '[99] A stream ends right after its terminal event. (§3.1.2)',
    async (binding) => {
      const loop = { switchboard: 'a', agent: 'b' };
      const chain = { metadata: { 'switchboard.chain': [loop, loop, loop, loop] } };
      const states = [];
      for (const params of [sendParams('say done'), sendParams('fail no'), sendParams('x', chain)]) {
        const events = await binding.events('SendStreamingMessage', params);
        const ends = events.map(({ task, statusUpdate }) => (task ?? statusUpdate)?.status.state);
        const terminal = ends.findIndex((state) => /COMPLETED|FAILED|REJECTED/.test(state));
        expect(terminal).toBe(events.length - 1);
        states.push(ends[terminal]);
      }
      const { stream, task } = await opened(binding);
      await binding.call('CancelTask', { id: task.id }, MANUAL);
      states.push((await stream.rest()).at(-1).statusUpdate.status.state);
      expect(states).toEqual(['COMPLETED', 'FAILED', 'REJECTED', 'CANCELED'].map((state) => `TASK_STATE_${state}`));
      return states;
    },
  ],
  [
    '[100] A stream stays open while the task waits for permission, and shows what comes of it. (§7.6.1)',
    async (binding) => {
      const stream = await binding.open('SendStreamingMessage', sendParams('auth may I; say done'));
      const states: string[] = [];
      let id = '';
      for await (const { task, statusUpdate } of stream) {
        id ||= task?.id;
        if (!statusUpdate) continue;
        states.push(statusUpdate.status.state);
        if (states.at(-1) === 'TASK_STATE_AUTH_REQUIRED') await server.decide(id, 'approve');
      }
      expect(states.slice(states.indexOf('TASK_STATE_AUTH_REQUIRED'))).toContain('TASK_STATE_WORKING');
      expect(states.at(-1)).toBe('TASK_STATE_COMPLETED');
      return states;
    },
  ],
  [
    '[101] What happens is shown while the run goes on. (§3.1.2)',
    async (binding) => {
      const { stream, turn } = await opened(binding);
      turn.handle.delta('so far');
      let event;
      do event = await stream.next();
      while (!event.artifactUpdate);
      expect(event.artifactUpdate.artifact.parts).toEqual([expect.objectContaining({ text: 'so far' })]);
      turn.end({ kind: 'completed' });
      return (await stream.rest()).at(-1).statusUpdate.status.state;
    },
  ],
  [
    '[102] Events keep the order in which they were made. (§3.5.2)',
    async (binding) => {
      const { stream, turn } = await opened(binding);
      for (let n = 0; n < 1000; n++) turn.handle.artifact({ artifactId: `n${n}`, parts: [{ text: String(n) }] });
      turn.end({ kind: 'completed' });
      const seen = (await stream.rest()).flatMap(({ artifactUpdate }) => artifactUpdate?.artifact.artifactId ?? []);
      expect(seen).toEqual(Array.from({ length: 1000 }, (_, n) => `n${n}`));
      return seen.length;
    },
  ],
  [
    '[103][104] Several streams of a task show the same events, and closing one harms neither the others nor the task. (§3.5.2)',
    async (binding) => {
      const { stream, task, turn } = await opened(binding);
      const others = [
        await subscribe(binding, task.id),
        await subscribe(binding, task.id),
        await subscribe(binding, task.id),
      ];
      for (const other of others) expect((await other.next()).task.id).toBe(task.id);
      turn.handle.delta('one');
      await stream.close();
      await others[2]?.close();
      turn.handle.delta(' two');
      turn.handle.artifact({ artifactId: 'a', parts: [{ data: [1] }] });
      turn.end({ kind: 'completed' });
      const [first, second] = [await others[0]?.rest(), await others[1]?.rest()];
      expect(first).toEqual(second);
      expect(first?.at(-1).statusUpdate.status.state).toBe('TASK_STATE_COMPLETED');
      return (await binding.call('GetTask', { id: task.id }, MANUAL)).result.status.state;
    },
  ],
  [
    '[105] Every update names the task and its context. (§4.2.1, §4.2.2)',
    async (binding) => {
      const [{ task }, ...updates] = await binding.events('SendStreamingMessage', sendParams('stream 2; data [1]'));
      for (const { statusUpdate, artifactUpdate } of updates) {
        expect(statusUpdate ?? artifactUpdate).toMatchObject({ taskId: task.id, contextId: task.contextId });
      }
      return updates.length > 0;
    },
  ],
  [
    '[106] A chunk that appends adds to its artifact, any other makes or replaces one; the stored task shows the result. (§4.2.2)',
    async (binding) => {
      const { stream, task, turn } = await opened(binding);
      const chunk = (text: string, append: boolean, lastChunk = false): void =>
        turn.handle.artifact({ artifactId: 'a', name: 'n', parts: [{ data: text }] }, { append, lastChunk });
      chunk('old', false);
      chunk('A', false);
      chunk('B', true, true);
      // What appends to nothing makes it.
      turn.handle.artifact({ artifactId: 'unknown', parts: [{ data: 'C' }] }, { append: true });
      turn.end({ kind: 'completed' });
      const flags = (await stream.rest()).flatMap(({ artifactUpdate: update }) =>
        update ? [[update.append ?? false, update.lastChunk ?? false]] : [],
      );
      expect(flags).toEqual([
        [false, false],
        [false, false],
        [true, true],
        [true, true],
      ]);
      const { artifacts } = (await binding.call('GetTask', { id: task.id }, MANUAL)).result;
      expect(artifacts).toEqual([
        expect.objectContaining({ artifactId: 'a', parts: [{ data: 'A' }, { data: 'B' }] }),
        expect.objectContaining({ artifactId: 'unknown', parts: [{ data: 'C' }] }),
      ]);
      return artifacts;
    },
  ],
  [
    '[107] A subscription works for any task that has not ended and begins with the task as it is. (§3.1.6)',
    async (binding) => {
      const params = sendParams('x', {}, { returnImmediately: true });
      const { task } = (await binding.call('SendMessage', params, MANUAL)).result;
      const turn = await agent.next();
      turn.handle.artifact({ artifactId: 'a', parts: [{ data: 1 }] });
      let snapshot;
      do {
        const stream = await subscribe(binding, task.id);
        snapshot = (await stream.next()).task;
        await stream.close();
      } while (!snapshot.artifacts);
      const stream = await subscribe(binding, task.id);
      turn.end({ kind: 'completed' });
      expect((await stream.rest()).at(-1).statusUpdate.status.state).toBe('TASK_STATE_COMPLETED');
      return snapshot.artifacts;
    },
  ],
  [
    '[108] Between the first task and what follows nothing is lost and nothing comes twice. (§3.1.6)',
    async (binding) => {
      const { stream, task, turn } = await opened(binding);
      const late: Promise<Any[]>[] = [];
      for (let n = 0; n < 200; n++) {
        turn.handle.delta(`${n},`);
        if (n % 20 === 0) late.push(subscribe(binding, task.id).then((other) => other.rest()));
        if (n % 10 === 0) await new Promise(setImmediate);
      }
      await stream.close();
      // All of them are subscribed before the end comes.
      await (await subscribe(binding, task.id)).close();
      turn.end({ kind: 'completed' });
      const stored = (await binding.call('GetTask', { id: task.id }, MANUAL)).result;
      const expected = { state: 'TASK_STATE_COMPLETED', texts: textsOf(stored) };
      for (const events of await Promise.all(late)) expect(replayed(events)).toEqual(expected);
      return expected;
    },
  ],
  [
    '[110] A subscription ends with the task, also when another client cancels it. (§3.1.6)',
    async (binding) => {
      const { stream, task } = await opened(binding);
      const other = await subscribe(binding, task.id);
      await binding.call('CancelTask', { id: task.id }, MANUAL);
      const states = [];
      for (const each of [stream, other]) states.push((await each.rest()).at(-1).statusUpdate.status.state);
      expect(states).toEqual(['TASK_STATE_CANCELED', 'TASK_STATE_CANCELED']);
      return states;
    },
  ],
]);

overEachBinding(kept, 'streams of what has ended', [
  [
    '[109][173] Subscribing to an ended task is an unsupported operation, to an unknown one not found, also after a restart. (§3.1.6, §5.4)',
    async (binding) => {
      const ended = [];
      for (const text of ['hi', 'fail no', 'ask which']) {
        const { id } = (await binding.call('SendMessage', sendParams(text))).result.task;
        if (text === 'ask which') await binding.call('CancelTask', { id });
        ended.push(id);
      }
      const reasons = [];
      for (const restart of [false, true]) {
        if (restart) await kept.restart();
        for (const id of [...ended, crypto.randomUUID()]) {
          const { error, answer } = await binding.call('SubscribeToTask', { id });
          expect(answer.headers.get('content-type')).toMatch(binding.errorType);
          reasons.push(error?.reason);
        }
      }
      const once = [...Array(3).fill('UNSUPPORTED_OPERATION'), 'TASK_NOT_FOUND'];
      expect(reasons).toEqual([...once, ...once]);
      return reasons;
    },
  ],
]);

overEachBinding(streamless, 'streams that are not offered', [
  [
    '[95] Without the capability both streaming operations are unsupported, as a plain error, and no task is made. (§3.3.4)',
    async (binding) => {
      const { capabilities } = (await streamless.send('GET', '/.well-known/agent-card.json', { key: '' })).json;
      expect(capabilities.streaming ?? false).toBe(false);
      const { id } = (await binding.call('SendMessage', sendParams('ask which'))).result.task;
      const before = (await binding.call('ListTasks')).result.totalSize;
      const reasons = [];
      for (const [operation, params] of [
        ['SendStreamingMessage', sendParams('hi')],
        ['SubscribeToTask', { id }],
      ] as const) {
        const { error, answer } = await binding.call(operation, params);
        expect(answer.headers.get('content-type')).toMatch(binding.errorType);
        expect(error?.code).toBe(binding.tells({ rpc: -32004, rest: 400, grpc: status.FAILED_PRECONDITION }));
        reasons.push(error?.reason);
      }
      expect(reasons).toEqual(Array(2).fill('UNSUPPORTED_OPERATION'));
      // A client of 0.3 hears the same.
      const rpc = binding.name === 'JSON-RPC';
      const message = { messageId: 'old', role: rpc ? 'user' : 'ROLE_USER' };
      const text = rpc ? { parts: [{ kind: 'text', text: 'hi' }] } : { content: [{ text: 'hi' }] };
      const body = { message: { ...message, ...text } };
      const headers = { 'A2A-Version': '0.3' };
      const old = await (rpc
        ? streamless.rpc('message/stream', body, { headers })
        : streamless.send('POST', '/a2a/v1/message:stream', { headers, body }));
      expect(old.json.error?.code ?? old.json.code).toBe(-32004);
      expect((await binding.call('ListTasks')).result.totalSize).toBe(before);
      return reasons;
    },
  ],
]);
