// A task whose work goes on at a remote agent: what the reducer makes of it.
import { describe, expect, test } from '@jest/globals';
import type { TaskEvent, TaskRecord, Watch } from '../../src/ledger/records.js';
import { reduce, refusalOf } from '../../src/ledger/task-reducer.js';

const created: TaskEvent = {
  type: 'created',
  start: true,
  caller: { id: 'demo/alice', scope: 'demo' },
  agent: 'far',
  executor: 'a2a-executor',
  contextId: 'ctx',
  message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hello' }] },
  hash: 'h1',
  requestId: 'r1',
  surface: 'a2a',
  chain: [],
};
const watch: Watch = { id: 'w1', agent: 'far', state: 'following', messageId: 'x', passed: 'm1', since: 5 };
const watched: TaskEvent = { type: 'watch', turn: 1, watch, remote: { agent: 'far', taskId: 'far-1' } };
const words = (start: boolean): TaskEvent => ({
  type: 'message',
  turn: 1,
  message: { messageId: 'm2', role: 'ROLE_USER', parts: [{ text: 'and this' }] },
  hash: 'h2',
  requestId: 'r2',
  start,
});

function fold(events: TaskEvent[]): { record: TaskRecord; refused: string[] } {
  let record: TaskRecord | undefined;
  const refused: string[] = [];
  for (const event of events) {
    const refusal = refusalOf(record, event);
    if (refusal !== undefined) refused.push(refusal);
    else record = reduce(record, { taskId: 't1', seq: (record?.envelope.seq ?? 0) + 1, at: 1_000, event }).record;
  }
  return { record: record as TaskRecord, refused };
}

describe('a watched task', () => {
  test('shows that the remote agent needs an authorization, its turn open, and that it works again', () => {
    const { record } = fold([created, watched, { type: 'status', turn: 1, text: 'log in there', needs: 'auth' }]);
    expect(record.task.status).toMatchObject({
      state: 'TASK_STATE_AUTH_REQUIRED',
      message: { parts: [{ text: 'log in there' }] },
    });
    expect(record.envelope.turnOpen).toBe(true);
    const again = fold([created, watched, { type: 'status', turn: 1, needs: 'auth' }, { type: 'status', turn: 1 }]);
    expect(again.record.task.status.state).toBe('TASK_STATE_WORKING');
    expect(again.record.task.status.message).toBeUndefined();
  });

  test('takes words of the caller only while it needs an authorization, and they start nothing', () => {
    expect(fold([created, watched, words(false)]).refused).toEqual(['a turn is running']);
    const waiting: TaskEvent = { type: 'status', turn: 1, needs: 'auth' };
    expect(fold([created, waiting, words(false)]).refused).toEqual(['a turn is running']);
    expect(fold([created, watched, waiting, words(true)]).refused).toEqual(['a turn is running']);
    const { record, refused } = fold([created, watched, waiting, words(false)]);
    expect(refused).toEqual([]);
    expect(record.task.history.at(-1)?.messageId).toBe('m2');
    expect(record.envelope).toMatchObject({ turn: 1, turnOpen: true });
  });

  test.each<[string, TaskEvent]>([
    ['an end', { type: 'turn-ended', turn: 1, state: 'TASK_STATE_COMPLETED' }],
    ['a cancel', { type: 'canceled', by: 'operator' }],
    ['a question', { type: 'question', turn: 1, question: { requestId: 'q', text: '?', from: 'caller' } }],
  ])('is not followed any more after %s, and still knows where it was worked on', (_what, event) => {
    const { record } = fold([created, watched, event]);
    expect(record.envelope.watch).toBeUndefined();
    expect(record.envelope.remote).toEqual({ agent: 'far', taskId: 'far-1' });
  });

  test('keeps what an update does not name, and refuses an update of another turn', () => {
    const { record, refused } = fold([
      created,
      watched,
      { type: 'watch', turn: 1, watch: { ...watch, tokenHash: 'aa' } },
      { type: 'watch', turn: 2, remote: { agent: 'far', taskId: 'other' } },
    ]);
    expect(record.envelope).toMatchObject({ watch: { tokenHash: 'aa' }, remote: { taskId: 'far-1' } });
    expect(refused).toEqual(['not the running turn']);
  });
});
