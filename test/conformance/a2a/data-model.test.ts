// Parts, messages, tasks and artifacts as they are taken and given, over each binding.
import { expect } from '@jest/globals';
import { sendParams, useBridgeServer } from '../../surfaces/a2a-bridge/bridge-server.js';
import type { Any, Binding } from './binding.js';
import { overEachBinding } from './scenario.js';

const server = useBridgeServer({ grpcPort: 0 });
const send = async (binding: Binding, text: string, extra: object = {}): Promise<Any> =>
  (await binding.call('SendMessage', sendParams(text, { ...extra }))).result.task;

/** Tasks, lists and events of every kind. */
async function traffic(binding: Binding): Promise<Any> {
  const tasks = [];
  for (const text of ['say done; data [1]', 'ask what', 'auth may I', 'fail no']) tasks.push(await send(binding, text));
  const canceled = (await binding.call('CancelTask', { id: tasks[1].id })).result;
  const { tasks: listed } = (await binding.call('ListTasks', { includeArtifacts: true, historyLength: 9 })).result;
  const events = await binding.events('SendStreamingMessage', sendParams('tool x; stream 3; file a.txt hi'));
  return { tasks: [...tasks, canceled, ...listed, events[0].task], events };
}

function eachValue(value: Any, name: string, visit: (value: Any) => void): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    if (key === name) visit(child);
    eachValue(child, name, visit);
  }
}

overEachBinding(server, 'the data model', [
  [
    '[149] A part has exactly one of text, raw, url and data. (§4.1.6)',
    async (binding) => {
      const reasons = [];
      // The wire of gRPC has no room for two.
      const json = binding.isHttp ? [{ text: 'a', data: 1 }, { raw: 'AA==', text: 'a' }, null, 'a'] : [];
      for (const part of [{}, { kind: 'text' }, ...json]) {
        reasons.push((await binding.call('SendMessage', sendParams('', { parts: [part] }))).error?.reason);
      }
      expect(new Set(reasons)).toEqual(new Set(['INVALID_PARAMS']));
      return reasons[0];
    },
  ],
  [
    '[150] Bytes are base64, data is any JSON, and every kind may have filename, mediaType and metadata. (§4.1.6)',
    async (binding) => {
      const attributes = { filename: 'f', metadata: { k: [1] } };
      const parts = [
        { text: '', mediaType: 'text/markdown', ...attributes },
        { raw: 'AP8H', mediaType: 'image/png', ...attributes },
        ...[null, 3, 'x', false, [1, [2]], { a: null }].map((data) => ({ data })),
        { data: 1, mediaType: 'application/json', ...attributes },
      ];
      const task = await send(binding, '', { parts });
      expect(task.history[0].parts).toEqual(parts);
      const read = (await binding.call('GetTask', { id: task.id })).result;
      expect(read.history[0].parts).toEqual(parts);
      const reasons = [];
      for (const raw of binding.isHttp ? ['*', 'A', 'AAA=A'] : []) {
        reasons.push((await binding.call('SendMessage', sendParams('', { parts: [{ raw }] }))).error?.reason);
      }
      expect(reasons).toEqual(Array(reasons.length).fill('INVALID_PARAMS'));
      return read.history[0].parts;
    },
  ],
  [
    '[151] A message has an id, a role and a part; clients speak as ROLE_USER, agents as ROLE_AGENT. (§4.1.4)',
    async (binding) => {
      const { tasks } = await traffic(binding);
      const roles = new Set<string>();
      for (const { history = [], status } of tasks) {
        for (const message of [...history, ...(status.message ? [status.message] : [])]) {
          expect(message.messageId).toMatch(/./);
          expect(message.parts.length).toBeGreaterThan(0);
          roles.add(message.role);
        }
        expect(history[0]?.role ?? 'ROLE_USER').toBe('ROLE_USER');
        expect(status.message?.role ?? 'ROLE_AGENT').toBe('ROLE_AGENT');
      }
      const { error } = await binding.call('SendMessage', sendParams('x', { role: 'ROLE_UNSPECIFIED' }));
      return [[...roles].sort(), error?.reason];
    },
  ],
  [
    "[152] An agent's message carries its context, and its task. (§4.1.4)",
    async (binding) => {
      const { tasks, events } = await traffic(binding);
      let seen = 0;
      const check = (message: Any): void => {
        if (message?.role !== 'ROLE_AGENT') return;
        seen++;
        expect(message).toMatchObject({ contextId: expect.stringMatching(/./), taskId: expect.stringMatching(/./) });
      };
      eachValue([tasks, events], 'message', check);
      for (const { history = [] } of tasks) history.forEach(check);
      expect(seen).toBeGreaterThan(3);
    },
  ],
  [
    '[153] A task has an id and one of the eight real states. (§4.1.1, §4.1.2)',
    async (binding) => {
      const { tasks, events } = await traffic(binding);
      for (const { id } of tasks) expect(id).toMatch(/./);
      const states = new Set<string>();
      eachValue([tasks, events], 'state', (state) => states.add(state));
      for (const state of states) {
        expect(state).toMatch(
          /^TASK_STATE_(?:SUBMITTED|WORKING|COMPLETED|FAILED|CANCELED|INPUT_REQUIRED|REJECTED|AUTH_REQUIRED)$/,
        );
      }
      return states.size > 4;
    },
  ],
  [
    '[154] An artifact has an id that is its own in the task, and a part. (§4.1.7)',
    async (binding) => {
      const { artifacts } = await send(binding, 'say one; file a.txt hi; file a.txt again; data 1');
      const ids = artifacts.map(({ artifactId }: Any) => artifactId);
      expect(new Set(ids).size).toBe(ids.length);
      for (const { parts } of artifacts) expect(parts.length).toBeGreaterThan(0);
      return ids.length;
    },
  ],
  [
    '[155] Times are ISO 8601 in UTC with milliseconds. (§5.6.1)',
    async (binding) => {
      const times: string[] = [];
      eachValue(await traffic(binding), 'timestamp', (time) => times.push(time));
      for (const time of times) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(times.length).toBeGreaterThan(5);
    },
  ],
]);
