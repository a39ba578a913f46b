import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readEvent, readSendResult, readTask, readTaskList, type Answer } from '../../src/remote/read-answer.js';

const answer = (value: unknown, more: Partial<Answer> = {}): Answer => ({ value, unread: [], ...more });
const task = (more: object = {}) => ({ id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' }, ...more });
const partsOf = (parts: unknown, more: Partial<Answer> = {}) => {
  const read = readTask(answer(task({ artifacts: [{ artifactId: 'a', parts }] }), more));
  return { parts: read?.artifacts[0]?.parts, unread: read?.unread };
};

describe('a peer’s answer', () => {
  test.each([
    ['1.0 text', { text: 'x', metadata: { a: 1 } }, { text: 'x', metadata: { a: 1 } }],
    ['0.3 text', { kind: 'text', text: 'x' }, { text: 'x' }],
    [
      '1.0 bytes',
      { raw: 'AQI=', filename: 'f', mediaType: 'm' },
      { bytes: Buffer.from([1, 2]), filename: 'f', mediaType: 'm' },
    ],
    ['URL-safe bytes', { raw: '_-8' }, { bytes: Buffer.from([255, 239]) }],
    [
      '0.3 bytes',
      { kind: 'file', file: { bytes: 'AQI=', name: 'f', mimeType: 'm' } },
      { bytes: Buffer.from([1, 2]), filename: 'f', mediaType: 'm' },
    ],
    ['0.3 bytes over REST', { file: { fileWithBytes: 'AQI=' } }, { bytes: Buffer.from([1, 2]) }],
    ['1.0 link', { url: 'https://x/', filename: 'f' }, { url: 'https://x/', filename: 'f' }],
    ['0.3 link', { kind: 'file', file: { uri: 'https://x/', mimeType: 'm' } }, { url: 'https://x/', mediaType: 'm' }],
    ['0.3 link over REST', { file: { fileWithUri: 'https://x/' } }, { url: 'https://x/' }],
    ['1.0 data', { data: { data: { a: 1 } } }, { data: { data: { a: 1 } } }],
    ['null as data', { data: null }, { data: null }],
    ['0.3 data', { kind: 'data', data: { a: 1 } }, { data: { a: 1 } }],
    [
      'wrapped data',
      { kind: 'data', data: { value: [1] }, metadata: { data_part_compat: true, b: 2 } },
      { data: [1], metadata: { b: 2 } },
    ],
    ['a part in a part', { root: { kind: 'text', text: 'x' } }, { text: 'x' }],
    ['an older spelling', { type: 'text', text: 'x' }, { text: 'x' }],
  ])('is read whole: %s', (_name, part, read) => {
    expect(partsOf([part])).toEqual({ parts: [read], unread: [] });
  });

  test('has data one level deeper over REST of 0.3', () => {
    expect(partsOf([{ data: { data: { a: 1 } } }], { doubleData: true }).parts).toEqual([{ data: { a: 1 } }]);
  });

  test.each([
    [[7], 'a part that is no object'],
    ['text', 'parts that are no list'],
    [[{ kind: 'video', frames: [] }], 'a part of kind "video"'],
    [[{}], 'a part of members none'],
    [[{ raw: 'no base64!' }], 'a file whose bytes are no base64'],
    [[{ file: {} }], 'a file without bytes or address'],
  ])('never loses a part in silence: %j', (parts, line) => {
    expect(partsOf(parts)).toEqual({ parts: [], unread: [line] });
  });

  test.each([
    ['completed', 'TASK_STATE_COMPLETED'],
    ['input-required', 'TASK_STATE_INPUT_REQUIRED'],
    ['TASK_STATE_CANCELLED', 'TASK_STATE_CANCELED'],
    ['auth-required', 'TASK_STATE_AUTH_REQUIRED'],
    [7, 'TASK_STATE_REJECTED'],
  ])('has a state in any spelling: %j', (state, read) => {
    expect(readTask(answer(task({ status: { state } })))?.status.state).toBe(read);
  });

  test('with an unknown state goes on, and that is told', () => {
    expect(readTask(answer(task({ status: { state: 'unknown' } })))).toMatchObject({
      status: { state: 'TASK_STATE_WORKING' },
      unread: ['the state "unknown", taken as working'],
    });
  });

  test('is a task or a message, wrapped or bare', () => {
    const message = { messageId: 'm', role: 'agent', parts: [{ text: 'x' }] };
    for (const value of [{ task: task() }, task(), { kind: 'task', ...task() }])
      expect(readSendResult(answer(value))).toMatchObject({ task: { id: 't' } });
    for (const value of [
      { message },
      { msg: { ...message, parts: undefined, content: message.parts } },
      message,
      { kind: 'message', ...message },
    ])
      expect(readSendResult(answer(value))).toMatchObject({ message: { role: 'ROLE_AGENT', parts: [{ text: 'x' }] } });
    expect(readSendResult(answer({ ok: true }))).toBeUndefined();
  });

  test('in a stream is an update, wrapped or bare', () => {
    const ids = { taskId: 't', contextId: 'c' };
    const status = { ...ids, status: { state: 'completed' }, final: true };
    for (const value of [{ statusUpdate: status }, { kind: 'status-update', ...status }, status])
      expect(readEvent(answer(value))).toMatchObject({
        kind: 'status',
        ...ids,
        status: { state: 'TASK_STATE_COMPLETED' },
      });
    const artifact = { ...ids, artifact: { parts: [{ text: 'x' }] }, append: true };
    for (const value of [{ artifactUpdate: artifact }, { kind: 'artifact-update', ...artifact }])
      expect(readEvent(answer(value))).toMatchObject({
        kind: 'artifact',
        append: true,
        artifact: { artifactId: 'artifact-1' },
      });
  });

  test('that is a list may leave out what is empty', () => {
    expect(readTaskList(answer({}))).toEqual({ tasks: [], next: '' });
    expect(readTaskList(answer({ tasks: 'x' }))).toBeUndefined();
  });

  test('of any shape is read without a failure', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom('task', 'message', 'statusUpdate', 'artifactUpdate', 'status'),
        (json, name) => {
          for (const value of [json, { [name]: json }, task({ [name]: json, artifacts: [json], history: [json] })]) {
            readEvent(answer(value));
            readTask(answer(value));
            readSendResult(answer(value));
          }
        },
      ),
    );
  });
});
