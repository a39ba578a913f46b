// What time does to tasks, over the real ledger: questions that end, and ended tasks that go with all they leave.
import { isTerminal, type Part } from '../../src/a2a-model.js';
import type { TaskRecord } from '../../src/ledger/records.js';
import { tempMirrors } from '../mirror/temp-mirror.js';
import { ALICE, DAY, newTask, TestLedger, type Event } from '../support/test-ledger.js';

const mirrors = tempMirrors();
/** After this a task that had to stay is asked again. */
const MINUTE = 60_000;

async function start(): Promise<TestLedger> {
  let open: ReturnType<typeof mirrors.open> | undefined;
  return new TestLedger((clock) => {
    open?.close();
    return (open = mirrors.open({ clock }));
  }).restart();
}

const completed = (cid: string): Event => ['agent.prompt.response', { cid, turn: 1, state: 'TASK_STATE_COMPLETED' }];
const question = (cid: string, from: 'caller' | 'operator' = 'caller', turn = 1): Event => [
  'agent.prompt.input.request',
  { cid, turn, requestId: `q${turn}`, question: 'name?', from },
];
const message = (id: string, parts: Part[] = [{ text: 'Ann' }]) => ({
  messageId: id,
  role: 'ROLE_USER' as const,
  parts,
});

/** Tasks that ended one after another, a second apart. */
async function ended(home: TestLedger, ...ids: string[]): Promise<void> {
  for (const taskId of ids) {
    await home.ledger.create(newTask(taskId));
    await home.say(completed(taskId));
    home.clock.advance(1000);
  }
  await home.save();
}

async function waiting(home: TestLedger, taskId: string, changes: Parameters<typeof newTask>[1] = {}): Promise<void> {
  await home.ledger.create(newTask(taskId, changes));
  await home.say(question(taskId));
}

const ids = (home: TestLedger): string[] =>
  home.ledger
    .list({ pageSize: 100 })
    .tasks.map(({ record }) => record.taskId)
    .sort();
const stateOf = (home: TestLedger, taskId: string): string | undefined => home.ledger.get(taskId)?.task.status.state;
const files = (home: TestLedger, folder: string): string[] => home.disk.list(`/home/demo/${folder}`).sort();

describe('a question that nobody answers', () => {
  it.each(['caller', 'operator'] as const)('of the %s ends the task as failed once the time is over', async (from) => {
    const home = await start();
    await home.ledger.create(newTask('t', { session: true }));
    await home.say(question('t', from));
    const follower = home.ledger.follow('t');
    home.clock.advance(7 * DAY);
    await home.tidy();
    expect(isTerminal(home.ledger.get('t')!.task.status.state)).toBe(false);
    home.clock.advance(1);
    await home.tidy();
    const { task, envelope } = home.ledger.get('t') as TaskRecord;
    expect(task.status).toMatchObject({
      state: 'TASK_STATE_FAILED',
      message: { parts: [{ text: 'no answer in time' }] },
    });
    expect(envelope.error).toEqual({ code: 'expired', text: 'no answer in time' });
    expect(envelope.question).toBeUndefined();
    expect(envelope.transitions.at(-1)?.state).toBe('TASK_STATE_FAILED');
    expect(await follower.next()).toMatchObject({
      state: 'TASK_STATE_FAILED',
      event: { statusUpdate: { taskId: 't' } },
    });
    expect(await follower.next()).toBeUndefined();
    expect(home.updates.at(-1)).toMatchObject({ taskId: 't', state: 'TASK_STATE_FAILED' });
    expect(home.ledger.list({ state: 'TASK_STATE_FAILED', pageSize: 5 }).total).toBe(1);
    expect(home.ledger.liveTasks(ALICE).ofCaller).toBe(0);
    await home.save();
    const said = home.transcripts.read('demo', 'alice_ctx').map(({ role, text }) => [role, text]);
    expect(said).toEqual([
      ['user', 'hello'],
      ['assistant', 'name?'],
      ['assistant', 'no answer in time'],
    ]);
  });

  it('counts from the question, not from the task, and anew for each question', async () => {
    const home = await start();
    await waiting(home, 't');
    home.clock.advance(6 * DAY);
    await home.ledger.resume({ taskId: 't', requestId: 'r', step: { message: message('m'), start: true } });
    await home.say(question('t', 'caller', 2));
    home.clock.advance(6 * DAY);
    await home.tidy();
    expect(stateOf(home, 't')).toBe('TASK_STATE_INPUT_REQUIRED');
    home.clock.advance(DAY + 1);
    await home.tidy();
    expect(stateOf(home, 't')).toBe('TASK_STATE_FAILED');
  });

  it('is not kept open by words that answer nothing', async () => {
    const home = await start();
    await home.ledger.create(newTask('t'));
    await home.say(question('t', 'operator'));
    home.clock.advance(6 * DAY);
    await home.ledger.resume({ taskId: 't', requestId: 'r', step: { message: message('m'), start: false } });
    home.clock.advance(DAY + 1);
    await home.tidy();
    expect(stateOf(home, 't')).toBe('TASK_STATE_FAILED');
  });

  it('and its answer in the same moment: whichever came first wins, alone', async () => {
    const home = await start();
    await waiting(home, 'a');
    await waiting(home, 'b', { contextId: 'other' });
    home.clock.advance(8 * DAY);
    const since = home.clock.now() - 7 * DAY;
    const answer = (taskId: string) =>
      home.ledger.resume({ taskId, requestId: `r-${taskId}`, step: { message: message(`m-${taskId}`), start: true } });
    const first = await Promise.allSettled([answer('a'), home.ledger.expire('a', since)]);
    const second = await Promise.allSettled([home.ledger.expire('b', since), answer('b')]);
    expect(first).toMatchObject([{ status: 'fulfilled' }, { value: false }]);
    expect(second).toMatchObject([{ value: true }, { status: 'rejected', reason: { code: 'unsupported-operation' } }]);
    expect([stateOf(home, 'a'), stateOf(home, 'b')]).toEqual(['TASK_STATE_WORKING', 'TASK_STATE_FAILED']);
    await home.restart();
    expect(stateOf(home, 'b')).toBe('TASK_STATE_FAILED');
  });

  it('ends after a restart, too, and stays ended after the next', async () => {
    const home = await start();
    await waiting(home, 't');
    home.clock.advance(8 * DAY);
    await home.restart();
    expect(stateOf(home, 't')).toBe('TASK_STATE_INPUT_REQUIRED');
    await home.tidy();
    expect(stateOf(home, 't')).toBe('TASK_STATE_FAILED');
    await home.restart();
    expect(home.ledger.get('t')?.envelope.error?.code).toBe('expired');
  });

  it('follows limits that change, and stays while nobody knows them', async () => {
    const home = await start();
    await waiting(home, 't');
    home.clock.advance(30 * DAY);
    home.limits = undefined;
    await home.tidy();
    expect(stateOf(home, 't')).toBe('TASK_STATE_INPUT_REQUIRED');
    home.limits = { questionMs: 31 * DAY, keepMs: DAY };
    await home.tidy();
    expect(stateOf(home, 't')).toBe('TASK_STATE_INPUT_REQUIRED');
    home.limits = { questionMs: 29 * DAY, keepMs: DAY };
    await home.tidy();
    expect(stateOf(home, 't')).toBe('TASK_STATE_FAILED');
  });

  it('is one of thousands that end in small steps', async () => {
    const home = await start();
    const many = Array.from({ length: 1000 }, (_, i) => `t${i}`);
    await Promise.all(many.map((taskId) => home.ledger.create(newTask(taskId, { contextId: taskId }))));
    await home.say(...many.map((taskId) => question(taskId)));
    home.clock.advance(8 * DAY);
    expect(await home.tidy()).toBeGreaterThan(30);
    expect(home.ledger.list({ state: 'TASK_STATE_FAILED', pageSize: 1 }).total).toBe(1000);
  });
});

describe('an ended task', () => {
  it('goes when it is older than the limit, and then answers like one that never was', async () => {
    const home = await start();
    await ended(home, 'old');
    home.clock.advance(89 * DAY);
    await ended(home, 'new');
    home.clock.advance(DAY + 1);
    await home.tidy();
    expect(ids(home)).toEqual(['new']);
    expect(files(home, 'tasks')).toEqual(['new.json']);
    const { ledger } = home;
    expect(ledger.get('old')).toBeUndefined();
    expect(await ledger.committed('old')).toBeUndefined();
    const notFound = { code: 'task-not-found' };
    expect(() => ledger.follow('old')).toThrow(expect.objectContaining(notFound));
    await expect(ledger.cancel('old', 'a')).rejects.toMatchObject(notFound);
    const push = { id: 'c', url: 'https://example.org', version: '1.0' as const };
    await expect(ledger.pushConfigs.set('old', push)).rejects.toMatchObject(notFound);
    const answer = { taskId: 'old', requestId: 'r', step: { message: message('m'), start: true } };
    await expect(ledger.resume(answer)).rejects.toMatchObject(notFound);
  });

  it('goes when there are too many, the oldest end first, whenever they were made', async () => {
    const home = await start();
    await home.ledger.create(newTask('slow'));
    await ended(home, 'a', 'b', 'c');
    await home.say(completed('slow'));
    await home.save();
    home.limits = { questionMs: DAY, keepMs: DAY, maxTasks: 2 };
    await home.tidy();
    expect(ids(home)).toEqual(['c', 'slow']);
  });

  it('is not counted with those that live, which never go', async () => {
    const home = await start();
    await ended(home, 'a', 'b');
    for (const taskId of ['live1', 'live2', 'live3']) await home.ledger.create(newTask(taskId, { contextId: taskId }));
    await waiting(home, 'asks');
    home.limits = { questionMs: 400 * DAY, keepMs: DAY, maxTasks: 1 };
    await home.tidy();
    expect(ids(home)).toEqual(['asks', 'b', 'live1', 'live2', 'live3']);
    home.clock.advance(300 * DAY);
    home.limits = { ...home.limits, maxTasks: 0 };
    await home.tidy();
    expect(ids(home)).toEqual(['asks', 'live1', 'live2', 'live3']);
  });

  it('goes although a disabled webhook missed something: an endpoint that is gone keeps no task for ever', async () => {
    const home = await start();
    await home.ledger.create(newTask('t', { pushConfig: { id: 'c', url: 'https://example.org', version: '1.0' } }));
    await home.ledger.pushConfigs.disable('t', 'c', 'gone');
    await home.say(completed('t'));
    await home.save();
    home.limits = { questionMs: DAY, keepMs: DAY, maxTasks: 100 };
    home.clock.advance(DAY - MINUTE);
    await home.tidy();
    expect(ids(home)).toEqual(['t']);
    home.clock.advance(2 * MINUTE);
    await home.tidy();
    expect(ids(home)).toEqual([]);
  });

  it('stays while a webhook is owed something, and does not send a younger one in its place', async () => {
    const home = await start();
    await home.ledger.create(newTask('owes', { pushConfig: { id: 'c', url: 'https://example.org', version: '1.0' } }));
    await home.say(completed('owes'));
    home.clock.advance(1000);
    await ended(home, 'b', 'c');
    home.limits = { questionMs: DAY, keepMs: DAY, maxTasks: 2 };
    await home.tidy();
    expect(ids(home)).toEqual(['b', 'c', 'owes']);
    await home.ledger.pushConfigs.acknowledge('owes', 'c', 100);
    await home.save();
    home.clock.advance(MINUTE);
    await home.tidy();
    expect(ids(home)).toEqual(['b', 'c']);
  });

  it('stays while something of it is not in its file yet, or somebody still reads it', async () => {
    const home = await start();
    await home.ledger.create(newTask('t'));
    const follower = home.ledger.follow('t');
    await home.say(completed('t'));
    home.limits = { questionMs: DAY, keepMs: DAY, maxTasks: 0 };
    await home.tidy();
    expect(ids(home)).toEqual(['t']);
    await home.save();
    home.clock.advance(MINUTE);
    await home.tidy();
    expect(ids(home)).toEqual(['t']);
    follower.close();
    await home.tidy();
    expect(ids(home)).toEqual(['t']);
    home.clock.advance(MINUTE);
    await home.tidy();
    expect(ids(home)).toEqual([]);
  });

  it('frees its message: sent again, that is a new one', async () => {
    const home = await start();
    await ended(home, 't');
    home.limits = { questionMs: DAY, keepMs: DAY, maxTasks: 0 };
    expect(home.ledger.findMessage(ALICE, 'message-t')).toBeDefined();
    await home.tidy();
    expect(home.ledger.findMessage(ALICE, 'message-t')).toBeUndefined();
  });

  it('stays where it is when its purge can not be stored', async () => {
    const home = await start();
    await ended(home, 't');
    home.limits = { questionMs: DAY, keepMs: DAY, maxTasks: 0 };
    home.disk.room = 10;
    await home.tidy();
    expect(stateOf(home, 't')).toBe('TASK_STATE_COMPLETED');
    home.disk.room = Infinity;
    home.clock.advance(MINUTE);
    await home.tidy();
    expect(ids(home)).toEqual([]);
  });

  it('is gone at once although its file can not be removed yet, and later with its file', async () => {
    const home = await start();
    await ended(home, 't');
    home.limits = { questionMs: DAY, keepMs: DAY, maxTasks: 0 };
    home.disk.readOnlyNames = true;
    await home.tidy();
    expect(home.ledger.get('t')).toBeUndefined();
    expect(ids(home)).toEqual([]);
    expect(files(home, 'tasks')).toEqual(['t.json']);
    home.disk.readOnlyNames = false;
    await home.tidy();
    expect(files(home, 'tasks')).toEqual([]);
  });

  it('is one of hundreds that go in small steps', async () => {
    const home = await start();
    await ended(home, ...Array.from({ length: 200 }, (_, i) => `t${i}`));
    home.limits = { questionMs: DAY, keepMs: DAY, maxTasks: 10 };
    expect(await home.tidy()).toBeGreaterThan(20);
    expect(home.ledger.list({ pageSize: 1 }).total).toBe(10);
  });
});

describe('what an ended task leaves', () => {
  /** Keeps nothing that has ended. */
  const nothing = { questionMs: DAY, keepMs: DAY, maxTasks: 0 };
  const bytes = (text: string): Buffer => Buffer.from(text);

  async function withFile(home: TestLedger, taskId: string, contextId: string, text: string): Promise<string> {
    const { blob, size } = home.blobs.put('demo', bytes(text));
    const parts = [{ blob, size, filename: 'f' }];
    await home.ledger.create(newTask(taskId, { contextId, session: true, message: message(`m-${taskId}`, parts) }));
    await home.say(completed(taskId));
    await home.save();
    home.clock.advance(120_000);
    return blob;
  }

  it('goes with it: the transcript of its conversation, and its files', async () => {
    const home = await start();
    await withFile(home, 't', 'ctx', 'hello');
    expect([files(home, '.a2a/sessions').length, files(home, 'blobs').length]).toEqual([1, 1]);
    home.limits = nothing;
    await home.tidy();
    expect([files(home, '.a2a/sessions').length, files(home, 'blobs').length]).toEqual([0, 0]);
  });

  it('stays while its conversation has another task: the transcript, and the files that it mentions', async () => {
    const home = await start();
    const blob = await withFile(home, 'first', 'ctx', 'hello');
    await withFile(home, 'second', 'ctx', 'other');
    const again = await withFile(home, 'third', 'elsewhere', 'hello');
    expect(again).toBe(blob);
    home.limits = { ...nothing, maxTasks: 2 };
    await home.tidy();
    expect(ids(home)).toEqual(['second', 'third']);
    expect(home.transcripts.read('demo', 'alice_ctx').map(({ taskId }) => taskId)).toContain('first');
    // The other task that used the file goes, and the transcript still mentions it.
    await home.ledger.create(newTask('fourth', { contextId: 'ctx', session: true }));
    home.limits = nothing;
    await home.tidy();
    expect(ids(home)).toEqual(['fourth']);
    expect(files(home, '.a2a/sessions')).toEqual(['alice_ctx.jsonl']);
    expect(files(home, 'blobs')).toHaveLength(2);
    await home.say(completed('fourth'));
    await home.save();
    await home.tidy();
    expect([files(home, '.a2a/sessions').length, files(home, 'blobs').length]).toEqual([0, 0]);
  });

  it('is known to a mirror that was made anew, too', async () => {
    const home = await start();
    await withFile(home, 'first', 'ctx', 'hello');
    await home.ledger.create(newTask('keeps', { contextId: 'ctx', session: true }));
    await withFile(home, 'third', 'elsewhere', 'hello');
    home.limits = { ...nothing, maxTasks: 1 };
    await home.tidy();
    expect(ids(home)).toEqual(['keeps', 'third']);
    await home.ledger.close();
    await home.rebuild();
    home.limits = nothing;
    await home.tidy();
    expect(ids(home)).toEqual(['keeps']);
    expect(files(home, 'blobs')).toHaveLength(1);
  });

  it('stays while the session of its conversation is open, and goes when that is closed', async () => {
    const home = await start();
    await withFile(home, 't', 'ctx', 'hello');
    home.open.add('ctx');
    home.limits = nothing;
    await home.tidy();
    expect(ids(home)).toEqual([]);
    expect([files(home, '.a2a/sessions').length, files(home, 'blobs').length]).toEqual([1, 1]);
    home.open.clear();
    await home.tidy();
    expect([files(home, '.a2a/sessions').length, files(home, 'blobs').length]).toEqual([0, 0]);
  });

  it('goes at the next start when its session was open at the end', async () => {
    const home = await start();
    await withFile(home, 't', 'ctx', 'hello');
    home.open.add('ctx');
    home.limits = nothing;
    await home.tidy();
    await home.ledger.close();
    await home.restart();
    expect([files(home, '.a2a/sessions').length, files(home, 'blobs').length]).toEqual([0, 0]);
    expect(files(home, 'journal')).toEqual([]);
  });

  it('stays when it was put again a moment ago, until that leads to nothing', async () => {
    const home = await start();
    const blob = await withFile(home, 't', 'ctx', 'hello');
    home.blobs.put('demo', bytes('hello'));
    home.limits = nothing;
    await home.tidy();
    expect(files(home, 'blobs')).toEqual([blob]);
    home.clock.advance(60_000);
    await home.tidy();
    expect(files(home, 'blobs')).toEqual([]);
  });

  it('of another scope can not be taken along by a line that somebody wrote into a journal', async () => {
    const home = await start();
    const operator = { id: 'operator', scope: 'operator' };
    await home.ledger.create(newTask('theirs', { caller: operator, session: true }));
    await home.say(completed('theirs'));
    await withFile(home, 'mine', 'ctx', 'hello');
    await home.ledger.close();
    const event = { type: 'purged', caller: 'operator', agent: 'demo', contextId: 'ctx', session: true, blobs: [] };
    const lines = [
      { v: 1, kind: 'journal' },
      { taskId: 'theirs', seq: 9, at: 1, event },
      { taskId: 'nobody', seq: 9, at: 1, event: { ...event, caller: 'demo/alice', blobs: ['../tasks/mine.json', 7] } },
    ];
    home.disk.writeFileAtomic(
      '/home/demo/journal/0000000099.jsonl',
      lines.map((line) => JSON.stringify(line)).join('\n') + '\n',
    );
    await home.restart();
    expect(home.report.damaged).toBe(2);
    expect(ids(home)).toEqual(['mine', 'theirs']);
    expect(stateOf(home, 'theirs')).toBe('TASK_STATE_COMPLETED');
    expect(files(home, '.a2a/sessions')).toEqual(['alice_ctx.jsonl', 'operator_ctx.jsonl']);
    expect(files(home, 'journal')).toEqual([]);
  });
});
