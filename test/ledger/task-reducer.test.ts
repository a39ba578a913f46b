import { textOf } from '../../src/a2a-model.js';
import type { JournalEntry, TaskEvent, TaskRecord, TranscriptLine, Update } from '../../src/ledger/records.js';
import { mergeArtifact } from '../../src/ledger/artifact-chunks.js';
import { reduce, refusalOf } from '../../src/ledger/task-reducer.js';

const created: TaskEvent = {
  type: 'created',
  start: false,
  caller: { id: 'demo/alice', scope: 'demo' },
  agent: 'demo',
  executor: 'session-runner',
  contextId: 'ctx',
  message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hello' }] },
  hash: 'h1',
  requestId: 'r1',
  surface: 'a2a',
  chain: [],
};

/** Folds events as the ledger does, a millisecond apart. */
function fold(events: TaskEvent[], start?: TaskRecord) {
  let record = start;
  const updates: Update[] = [];
  const lines: TranscriptLine[] = [];
  const dropped: TaskEvent[] = [];
  for (const event of events) {
    if (refusalOf(record, event) !== undefined) {
      dropped.push(event);
      continue;
    }
    const seq = (record?.envelope.seq ?? 0) + 1;
    const entry: JournalEntry = { taskId: 't1', seq, at: Date.parse('2026-01-01T00:00:00Z') + seq, event };
    const before = structuredClone(record);
    const reduction = reduce(record, entry);
    expect(record).toEqual(before);
    record = reduction.record;
    updates.push(...reduction.updates);
    lines.push(...reduction.lines);
  }
  return { record: record as TaskRecord, updates, lines, dropped };
}

const started: TaskEvent = { type: 'turn-started', turn: 1 };
const completed: TaskEvent = { type: 'turn-ended', turn: 1, state: 'TASK_STATE_COMPLETED' };
const question: TaskEvent = { type: 'question', turn: 1, question: { requestId: 'q1', text: 'name?', from: 'caller' } };

describe('the task reducer', () => {
  it('turns creation into a submitted task whose history is the message', () => {
    const { record, updates } = fold([created]);
    expect(record.task.status).toEqual({ state: 'TASK_STATE_SUBMITTED', timestamp: '2026-01-01T00:00:00.001Z' });
    expect(record.task.history).toEqual([
      { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hello' }], taskId: 't1', contextId: 'ctx' },
    ]);
    expect(updates).toEqual([
      { seq: 1, state: 'TASK_STATE_SUBMITTED', turn: 1, event: { task: record.task }, requestId: 'r1' },
    ]);
  });

  it('stores a run of deltas as one text part and closes it with a last chunk', () => {
    const { record, updates } = fold([
      created,
      started,
      { type: 'text', turn: 1, pieces: ['one '], end: false },
      { type: 'text', turn: 1, pieces: ['two'], end: false },
      completed,
    ]);
    expect(record.task.artifacts).toEqual([{ artifactId: 'response', parts: [{ text: 'one two' }] }]);
    const chunks = updates.flatMap(({ event }) => (event && 'artifactUpdate' in event ? [event.artifactUpdate] : []));
    expect(chunks.map(({ append, lastChunk }) => [append, lastChunk])).toEqual([
      [false, false],
      [true, false],
      [true, true],
    ]);
    expect(record.task.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('replaces the response with each further assistant message and keeps all of them in the history', () => {
    const { record, lines } = fold([
      created,
      started,
      { type: 'text', turn: 1, pieces: ['first'], end: false },
      { type: 'text', turn: 1, pieces: [], end: true },
      { type: 'text', turn: 1, pieces: ['second'], end: false },
      completed,
    ]);
    expect(textOf(record.task.artifacts[0]?.parts ?? [])).toBe('second');
    expect(record.task.history.map((message) => textOf(message.parts))).toEqual(['hello', 'first', 'second']);
    expect(lines.map(({ role, text, n }) => [role, text, n])).toEqual([
      ['user', 'hello', 1],
      ['assistant', 'first', 2],
      ['assistant', 'second', 3],
    ]);
  });

  it('waits for the caller at a question and takes the next message as its answer', () => {
    const asked = fold([created, started, { type: 'text', turn: 1, pieces: ['hm'], end: false }, question]);
    expect(asked.record.task.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(asked.record.task.status.message?.metadata).toEqual({ requestId: 'q1', kind: 'input-request' });
    const answer: TaskEvent = {
      type: 'message',
      turn: 2,
      message: { messageId: 'm2', role: 'ROLE_USER', parts: [{ text: 'Bob' }] },
      hash: 'h2',
      requestId: 'r2',
      start: true,
    };
    const { record } = fold([answer], asked.record);
    expect(record.envelope).toMatchObject({ turn: 2, turnOpen: true, answers: [{ requestId: 'q1', answer: 'Bob' }] });
    expect(record.envelope.question).toBeUndefined();
    expect(record.task.history.map((message) => textOf(message.parts))).toEqual(['hello', 'hm', 'name?', 'Bob']);
  });

  it('gives every event a position of its own and every update the next one', () => {
    const { record, updates } = fold([
      created,
      started,
      { type: 'text', turn: 1, pieces: ['a'], end: false },
      { type: 'text', turn: 1, pieces: [], end: true },
      { type: 'tool', turn: 1, tool: 'search', phase: 'started' },
      { type: 'tool', turn: 1, tool: 'search', phase: 'finished', ok: true },
      completed,
    ]);
    expect(updates.map(({ seq }) => seq)).toEqual([1, 2, 3, 5, 7, 8]);
    expect(record.envelope.seq).toBe(8);
  });

  it('shows a tool by its name only', () => {
    const { updates } = fold([created, started, { type: 'tool', turn: 1, tool: 'search', phase: 'started' }]);
    const event = updates.at(-1)?.event;
    expect(event && 'statusUpdate' in event && textOf(event.statusUpdate.status.message?.parts ?? [])).toBe(
      'using search',
    );
  });

  it.each<[string, TaskEvent[]]>([
    ['a second end', [created, started, completed, { ...completed, state: 'TASK_STATE_FAILED' } as TaskEvent]],
    ['a late delta', [created, started, completed, { type: 'text', turn: 1, pieces: ['late'], end: false }]],
    ['a cancel after the end', [created, started, completed, { type: 'canceled', by: 'x' }]],
    ['progress of another turn', [created, started, { type: 'text', turn: 2, pieces: ['x'], end: false }]],
    ['progress before the start', [created, { type: 'text', turn: 1, pieces: ['x'], end: false }]],
    ['an end while the question is open', [created, started, question, completed]],
    ['a second start', [created, started, started]],
    [
      'a message during a turn',
      [
        created,
        started,
        {
          type: 'message',
          turn: 2,
          message: { messageId: 'x', role: 'ROLE_USER', parts: [] },
          hash: '',
          requestId: '',
          start: true,
        },
      ],
    ],
  ])('drops %s', (_what, events) => {
    const { dropped } = fold(events);
    expect(dropped).toEqual([events.at(-1)]);
  });

  it('lets the first terminal state win', () => {
    const { record } = fold([created, started, { type: 'canceled', by: 'operator', reason: 'enough' }, completed]);
    expect(record.task.status.state).toBe('TASK_STATE_CANCELED');
    expect(record.envelope.transitions.map(({ state }) => state)).toEqual([
      'TASK_STATE_SUBMITTED',
      'TASK_STATE_WORKING',
      'TASK_STATE_CANCELED',
    ]);
  });

  it('uses the parts of the end as the answer only when nothing was streamed', () => {
    const end: TaskEvent = { ...completed, parts: [{ text: 'whole' }] } as TaskEvent;
    expect(fold([created, started, end]).record.task.artifacts).toEqual([
      { artifactId: 'response', parts: [{ text: 'whole' }] },
    ]);
    const streamed = fold([created, started, { type: 'text', turn: 1, pieces: ['streamed'], end: false }, end]);
    expect(streamed.record.task.artifacts).toEqual([{ artifactId: 'response', parts: [{ text: 'streamed' }] }]);
  });

  it('says in words why a run failed', () => {
    const { record } = fold([
      created,
      started,
      { type: 'turn-ended', turn: 1, state: 'TASK_STATE_FAILED', error: { code: 'x', text: 'no luck' } },
    ]);
    expect(textOf(record.task.status.message?.parts ?? [])).toBe('no luck');
    expect(record.envelope.error).toEqual({ code: 'x', text: 'no luck' });
  });
});

describe('artifact chunks', () => {
  const known = [{ artifactId: 'a', name: 'A', parts: [{ text: '1' }] }];

  it.each([
    [
      'appends to the artifact of that id',
      { artifactId: 'a', parts: [{ text: '2' }] },
      true,
      [{ artifactId: 'a', name: 'A', parts: [{ text: '12' }] }],
    ],
    [
      'replaces it without append',
      { artifactId: 'a', parts: [{ text: '2' }] },
      false,
      [{ artifactId: 'a', parts: [{ text: '2' }] }],
    ],
    [
      'creates one that an append does not find',
      { artifactId: 'b', parts: [{ text: '2' }] },
      true,
      [...known, { artifactId: 'b', parts: [{ text: '2' }] }],
    ],
    [
      'keeps parts with attributes apart',
      { artifactId: 'a', parts: [{ text: '2', mediaType: 'text/x' }] },
      true,
      [{ artifactId: 'a', name: 'A', parts: [{ text: '1' }, { text: '2', mediaType: 'text/x' }] }],
    ],
  ])('%s', (_what, chunk, append, expected) => {
    expect(mergeArtifact(known, chunk, append)).toEqual(expected);
  });
});
