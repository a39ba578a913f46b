import type { PushConfig } from '../../src/a2a-model.js';
import { owedTransitions } from '../../src/ledger/owed-webhooks.js';
import type { JournalEntry, TaskEvent, TaskRecord } from '../../src/ledger/records.js';
import { reduce, refusalOf } from '../../src/ledger/task-reducer.js';

const hook = (id: string, change: Partial<PushConfig> = {}): PushConfig => ({
  id,
  url: `https://hooks.example/${id}`,
  version: '1.0',
  ...change,
});

const created = (pushConfig?: PushConfig, start = true): TaskEvent => ({
  type: 'created',
  caller: { id: 'demo/alice', scope: 'demo' },
  agent: 'demo',
  executor: 'session-runner',
  contextId: 'ctx',
  message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hello' }] },
  hash: 'h1',
  requestId: 'r1',
  start,
  surface: 'a2a',
  chain: [],
  ...(pushConfig && { pushConfig }),
});
const completed: TaskEvent = { type: 'turn-ended', turn: 1, state: 'TASK_STATE_COMPLETED' };
const add = (config: PushConfig): TaskEvent => ({ type: 'push-config', config });

/** Folds events as the ledger does; every one must fit. */
function fold(...events: TaskEvent[]): TaskRecord {
  let record: TaskRecord | undefined;
  for (const event of events) {
    expect(refusalOf(record, event)).toBeUndefined();
    const seq = (record?.envelope.seq ?? 0) + 1;
    const entry: JournalEntry = { taskId: 't1', seq, at: 1_700_000_000_000 + seq, event };
    const { record: after, updates } = reduce(record, entry);
    if (event.type.startsWith('push-')) {
      expect(updates).toEqual([]);
      expect(after.task).toEqual(record?.task);
      expect(after.envelope.seq).toBe(seq);
    }
    record = after;
  }
  return record as TaskRecord;
}

const owed = (record: TaskRecord, id: string): string[] | undefined => {
  const config = record.envelope.pushConfigs?.find((candidate) => candidate.id === id);
  return config && owedTransitions(record.envelope, config).map(({ state }) => state.slice('TASK_STATE_'.length));
};

describe("a task's webhook", () => {
  it('that came with the first message is owed every change after the creation', () => {
    expect(owed(fold(created(hook('a')), completed), 'a')).toEqual(['WORKING', 'COMPLETED']);
    expect(owed(fold(created(hook('a'), false)), 'a')).toEqual([]);
  });

  it('that is added later is owed what comes later', () => {
    const record = fold(created(), add(hook('a')));
    expect(owed(record, 'a')).toEqual([]);
    expect(owed(fold(created(), add(hook('a')), completed), 'a')).toEqual(['COMPLETED']);
    expect(record.envelope.pushConfigs).toEqual([{ ...hook('a'), acknowledged: 2, createdAt: 1_700_000_000_003 }]);
  });

  it('that comes with an answer is owed the turn that the answer starts', () => {
    const record = fold(
      created(),
      { type: 'question', turn: 1, question: { requestId: 'q', text: 'name?', from: 'caller' } },
      {
        type: 'message',
        turn: 2,
        message: { messageId: 'm2', role: 'ROLE_USER', parts: [{ text: 'Ann' }] },
        hash: 'h2',
        requestId: 'r2',
        start: true,
        pushConfig: hook('a'),
      },
    );
    expect(owed(record, 'a')).toEqual(['WORKING']);
  });

  it('is owed less after an acknowledgement, also when the task has ended, and never more again', () => {
    const ended = fold(created(hook('a')), completed);
    const told = fold(created(hook('a')), completed, { type: 'push-acknowledged', id: 'a', upTo: 2 });
    expect(told.task).toEqual(ended.task);
    expect(owed(told, 'a')).toEqual(['COMPLETED']);
    expect(refusalOf(told, { type: 'push-acknowledged', id: 'a', upTo: 1 })).toBe('it is acknowledged');
    expect(refusalOf(told, { type: 'push-acknowledged', id: 'b', upTo: 3 })).toMatch('no such');
  });

  it('that replaces another takes over what that one was owed', () => {
    const moved = hook('a', { url: 'https://elsewhere.example/' });
    const record = fold(created(hook('a')), completed, add(moved));
    expect(record.envelope.pushConfigs).toMatchObject([moved]);
    expect(owed(record, 'a')).toEqual(['WORKING', 'COMPLETED']);
  });

  it('is gone when it is deleted, and owed nothing of before when it is added again', () => {
    const gone = fold(created(hook('a')), completed, { type: 'push-config-deleted', id: 'a' });
    expect(gone.envelope.pushConfigs).toBeUndefined();
    expect(JSON.stringify(gone)).not.toContain('hooks.example');
    expect(refusalOf(gone, { type: 'push-config-deleted', id: 'a' })).toMatch('no such');
    const again = fold(created(hook('a')), completed, { type: 'push-config-deleted', id: 'a' }, add(hook('a')));
    expect(owed(again, 'a')).toEqual([]);
  });

  it('is one of at most ten', () => {
    const ten = Array.from({ length: 10 }, (_, i) => add(hook(`h${i}`)));
    const full = fold(created(), ...ten);
    expect(refusalOf(full, add(hook('h10')))).toMatch('at most 10');
    expect(refusalOf(full, add(hook('h3')))).toBeUndefined();
    const answer = { type: 'message', turn: 2, hash: 'h', requestId: 'r', start: true } as const;
    const message = { messageId: 'm2', role: 'ROLE_USER' as const, parts: [{ text: 'x' }] };
    const asking = fold(created(), ...ten, {
      type: 'question',
      turn: 1,
      question: { requestId: 'q', text: '?', from: 'caller' },
    });
    expect(refusalOf(asking, { ...answer, message, pushConfig: hook('h10') })).toMatch('at most 10');
    expect(refusalOf(asking, { ...answer, message, pushConfig: hook('h9') })).toBeUndefined();
  });
});
