import { StreamResponse } from '@a2a-js/sdk';
import { notification, statusAt } from '../../../plugins/followers/push-dispatcher/notification.js';
import { toSdkEvent } from '../../../plugins/surfaces/a2a-bridge/to-sdk.js';
import type { Message, PushConfig, Task } from '../../../src/a2a-model.js';
import type { TaskEnvelope, TaskRecord, Transition } from '../../../src/ledger/records.js';

const at = Date.parse('2026-01-01T00:00:00.000Z');
const working: Transition = { seq: 2, state: 'TASK_STATE_WORKING', at };
const asking: Transition = { seq: 5, state: 'TASK_STATE_INPUT_REQUIRED', at: at + 1 };
const completed: Transition = { seq: 9, state: 'TASK_STATE_COMPLETED', at: at + 2 };

const question: Message = {
  messageId: 't1-5',
  taskId: 't1',
  contextId: 'c1',
  role: 'ROLE_AGENT',
  parts: [{ text: 'name?' }, { blob: 'b1', size: 3, filename: 'a.bin', mediaType: 'application/octet-stream' }],
  metadata: { kind: 'input-request' },
};
const task: Task = {
  id: 't1',
  contextId: 'c1',
  status: { state: 'TASK_STATE_COMPLETED', timestamp: '2026-01-01T00:00:00.002Z' },
  artifacts: [
    { artifactId: 'response', parts: [{ text: 'done' }] },
    { artifactId: 'files', name: 'f', parts: [{ blob: 'b1', size: 3 }, { data: { n: 1 } }, { blob: 'gone', size: 1 }] },
  ],
  history: [{ messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hello' }] }, question],
};
const envelope = { transitions: [working, asking, completed] } as TaskEnvelope;
const record: TaskRecord = { task, envelope };
const config: PushConfig = { id: 'hook', url: 'https://hooks.example/', version: '1.0' };
const read = (blob: string): Buffer | undefined => (blob === 'b1' ? Buffer.from([0, 255, 7]) : undefined);

describe('a push notification', () => {
  it('is a stream response of the protocol with the task, its history aside, as the SDK would write it', () => {
    const { headers, body } = notification(record, config, completed, read);
    const wire = StreamResponse.toJSON(toSdkEvent({ task: { ...task, history: [] } }, read));
    expect(JSON.parse(body)).toEqual(JSON.parse(JSON.stringify(wire)));
    expect(headers).toEqual({ 'content-type': 'application/a2a+json', 'webhook-id': 't1_hook_9' });
  });

  it('carries the status of its change when the task has moved on, a question with its files included', () => {
    expect(statusAt(record, working)).toEqual({ state: working.state, timestamp: '2026-01-01T00:00:00.000Z' });
    const { body, headers } = notification(record, config, asking, read);
    expect(headers['webhook-id']).toBe('t1_hook_5');
    expect(JSON.parse(body).task.status).toEqual({
      state: 'TASK_STATE_INPUT_REQUIRED',
      timestamp: '2026-01-01T00:00:00.001Z',
      message: {
        ...question,
        parts: [{ text: 'name?' }, { raw: 'AP8H', filename: 'a.bin', mediaType: 'application/octet-stream' }],
      },
    });
  });

  it.each([
    [{}, {}],
    [{ token: 't' }, { 'x-a2a-notification-token': 't' }],
    [{ authentication: { scheme: 'Bearer', credentials: 'c' } }, { authorization: 'Bearer c' }],
    [{ authentication: { scheme: 'basic', credentials: 'YTpi' } }, { authorization: 'basic YTpi' }],
    [{ authentication: { scheme: 'Bearer' } }, {}],
    [
      { token: 't', authentication: { scheme: 'Bearer', credentials: 'c' } },
      { 'x-a2a-notification-token': 't', authorization: 'Bearer c' },
    ],
  ])('to a webhook with %j has the headers %j', (secrets, expected) => {
    const { headers } = notification(record, { ...config, ...secrets }, completed, read);
    const { 'content-type': _type, 'webhook-id': _id, ...rest } = headers;
    expect(rest).toEqual(expected);
  });
});
