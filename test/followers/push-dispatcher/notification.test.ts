import { StreamResponse } from '@a2a-js/sdk';
import { Webhook } from 'standardwebhooks';
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

const options = { read, now: at + 1_500 };

describe('a push notification', () => {
  it('is a stream response of the protocol with the task, its history aside, as the SDK would write it', () => {
    const { headers, body } = notification(record, config, completed, options);
    const wire = StreamResponse.toJSON(toSdkEvent({ task: { ...task, history: [] } }, read));
    expect(JSON.parse(body)).toEqual(JSON.parse(JSON.stringify(wire)));
    expect(headers).toEqual({
      'content-type': 'application/a2a+json',
      'webhook-id': 't1_hook_9',
      'webhook-timestamp': String(Math.floor(at / 1_000) + 1),
    });
  });

  it('is signed so that an independent library verifies it, and nothing else', () => {
    const secret = `whsec_${Buffer.from('0123456789abcdef01234567').toString('base64')}`;
    const now = Date.now();
    const { headers, body } = notification(record, config, completed, { read, now, secret });
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
    expect(() => new Webhook(secret).verify(body.replace('done', 'gone'), headers)).toThrow();
    expect(() => new Webhook(secret).verify(body, { ...headers, 'webhook-id': 't1_hook_8' })).toThrow();
    const stale = notification(record, config, completed, { read, now: now - 600_000, secret });
    expect(() => new Webhook(secret).verify(stale.body, stale.headers)).toThrow();
  });

  it('for a webhook that was registered over 0.3 is the bare task of 0.3', () => {
    const { headers, body } = notification(record, { ...config, version: '0.3' }, asking, options);
    expect(headers['content-type']).toBe('application/json');
    expect(JSON.parse(body)).toEqual({
      kind: 'task',
      id: 't1',
      contextId: 'c1',
      status: {
        state: 'input-required',
        timestamp: '2026-01-01T00:00:00.001Z',
        message: {
          kind: 'message',
          messageId: 't1-5',
          taskId: 't1',
          contextId: 'c1',
          role: 'agent',
          metadata: { kind: 'input-request' },
          parts: [
            { kind: 'text', text: 'name?' },
            { kind: 'file', file: { bytes: 'AP8H', mimeType: 'application/octet-stream', name: 'a.bin' } },
          ],
        },
      },
      artifacts: [
        { artifactId: 'response', parts: [{ kind: 'text', text: 'done' }] },
        {
          artifactId: 'files',
          name: 'f',
          parts: [
            { kind: 'file', file: { bytes: 'AP8H' } },
            { kind: 'data', data: { n: 1 } },
            { kind: 'text', text: '[The file gone is no longer available.]' },
          ],
        },
      ],
    });
  });

  it('carries files up to a sum, and a sentence for those beyond it, however many a task has', () => {
    const blobs = Array.from({ length: 100 }, (_, n) => ({ blob: `f${n}`, size: 5 * 1024 * 1024, filename: `f${n}` }));
    const reads: string[] = [];
    const { body } = notification(
      { ...record, task: { ...task, artifacts: [{ artifactId: 'files', parts: blobs }] } },
      config,
      completed,
      { ...options, read: (blob) => (reads.push(blob), Buffer.alloc(blobs[0]?.size ?? 0)) },
    );
    expect(reads).toEqual(['f0', 'f1', 'f2']);
    const sent = (JSON.parse(body) as { task: Task }).task.artifacts[0]?.parts.slice(3, 4);
    expect(sent).toEqual([{ text: '[The file f3 is too large to be sent along; the task has it.]', filename: 'f3' }]);
  });

  it('carries the status of its change when the task has moved on, a question with its files included', () => {
    expect(statusAt(record, working)).toEqual({ state: working.state, timestamp: '2026-01-01T00:00:00.000Z' });
    const { body, headers } = notification(record, config, asking, options);
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
    const { headers } = notification(record, { ...config, ...secrets }, completed, options);
    const { 'content-type': _type, 'webhook-id': _id, 'webhook-timestamp': _time, ...rest } = headers;
    expect(rest).toEqual(expected);
  });
});
