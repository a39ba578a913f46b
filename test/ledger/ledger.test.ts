import { textOf } from '../../src/a2a-model.js';
import type { TaskRecord, Update } from '../../src/ledger/records.js';
import type { Follower } from '../../src/ledger/ledger-port.js';
import { RING_SIZE } from '../../src/ledger/live-task.js';
import { storing } from '../../src/mirror/sqlite-code.js';
import { tempMirrors } from '../mirror/temp-mirror.js';
import { ALICE, newTask, TestLedger, type Event } from '../support/test-ledger.js';

const mirrors = tempMirrors();

/** A ledger whose restarts share one mirror file, as processes do. */
async function start(): Promise<TestLedger> {
  let open: ReturnType<typeof mirrors.open> | undefined;
  return new TestLedger((clock) => {
    open?.close();
    return (open = mirrors.open({ clock }));
  }).restart();
}

const completed = (cid: string): Event => [
  'agent.prompt.response',
  { cid, turn: 1, state: 'TASK_STATE_COMPLETED', parts: [{ text: 'done' }] },
];
const delta = (cid: string, text: string): Event => [
  'agent.prompt.progress',
  { cid, turn: 1, kind: 'text', pieces: [text], end: false },
];
const question = (cid: string): Event => [
  'agent.prompt.input.request',
  { cid, turn: 1, requestId: 'q', question: 'name?', from: 'caller' },
];

async function all(follower: Follower): Promise<Update[]> {
  const updates: Update[] = [];
  for (let update = await follower.next(); update; update = await follower.next()) updates.push(update);
  return updates;
}

describe('the ledger', () => {
  it('shows nothing before it is committed, and everything after', async () => {
    const home = await start();
    const creating = home.ledger.create(newTask('t1'));
    await home.bus.drain();
    expect(home.ledger.get('t1')).toBeUndefined();
    expect(home.updates).toEqual([]);
    await creating;
    await home.bus.drain();
    expect(home.ledger.get('t1')?.task.status.state).toBe('TASK_STATE_WORKING');
    expect(home.updates.map(({ seq, state }) => [seq, state])).toEqual([
      [1, 'TASK_STATE_SUBMITTED'],
      [2, 'TASK_STATE_WORKING'],
    ]);
  });

  it('commits what one turn of the event loop brings with one write', async () => {
    const home = await start();
    await Promise.all([home.ledger.create(newTask('t1')), home.ledger.create(newTask('t2'))]);
    expect(home.disk.count('write')).toBe(1);
  });

  it('writes more files at a time the more tasks are behind, so that memory does not grow with a load that lasts', async () => {
    const home = await start();
    const { ledger, clock } = home;
    const writtenAtOnce = async (tasks: number): Promise<number> => {
      await Promise.all(Array.from({ length: tasks }, (_, n) => ledger.create(newTask(`${tasks}-${n}`))));
      clock.advance(100);
      return tasks - ledger.census.behind.files;
    };
    expect(await writtenAtOnce(40)).toBeLessThanOrEqual(20);
    await ledger.flush();
    expect(await writtenAtOnce(3_000)).toBeGreaterThan(40);
  });

  it('keeps one sequence for any number of followers, each from its own snapshot', async () => {
    const home = await start();
    await home.ledger.create(newTask('t1'));
    const early = home.ledger.follow('t1');
    await home.say(delta('t1', 'a'));
    const late = home.ledger.follow('t1');
    await home.say(delta('t1', 'b'), completed('t1'));
    const [fromEarly, fromLate] = await Promise.all([all(early), all(late)]);
    expect(fromEarly.map(({ seq }) => seq)).toEqual([3, 4, 5, 6]);
    expect(fromLate).toEqual(fromEarly.slice(1));
    expect(textOf(late.snapshot.task.artifacts[0]?.parts ?? [])).toBe('a');
  });

  it('replays from a position, the terminal update included, until the task has left memory', async () => {
    const home = await start();
    await home.ledger.create(newTask('t1'));
    await home.say(delta('t1', 'a'), completed('t1'));
    const again = home.ledger.follow('t1', 3);
    expect(again.replayed).toBe(true);
    expect((await all(again)).map(({ state }) => state)).toEqual(['TASK_STATE_WORKING', 'TASK_STATE_COMPLETED']);
    await home.save();
    home.clock.advance(61_000);
    await home.ledger.create(newTask('t2'));
    await home.save();
    expect(home.ledger.follow('t1', 3).replayed).toBe(false);
    expect(home.ledger.get('t1')?.task.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('closes a follower that fell too far behind instead of growing', async () => {
    const home = await start();
    await home.ledger.create(newTask('t1'));
    const slow = home.ledger.follow('t1');
    await home.say(...Array.from({ length: RING_SIZE + 1 }, () => delta('t1', 'x')));
    expect(await slow.next()).toBeUndefined();
    expect(slow.lagged).toBe(true);
  });

  it('drops and counts what comes after the end', async () => {
    const home = await start();
    await home.ledger.create(newTask('t1'));
    await home.say(completed('t1'), delta('t1', 'late'));
    expect(home.ledger.droppedEvents).toBe(1);
    expect(textOf(home.ledger.get('t1')?.task.artifacts[0]?.parts ?? [])).toBe('done');
  });

  it('makes a task canceled unless it has ended', async () => {
    const home = await start();
    await home.ledger.create(newTask('t1'));
    await home.ledger.create(newTask('t2'));
    expect((await home.ledger.cancel('t1', 'operator', 'enough')).task.status.state).toBe('TASK_STATE_CANCELED');
    expect((await home.ledger.cancel('t1', 'operator')).task.status.message?.parts).toEqual([{ text: 'enough' }]);
    await home.say(completed('t2'));
    expect((await home.ledger.cancel('t2', 'operator')).task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(() => home.ledger.follow('nothing')).toThrow('does not exist');
  });

  it('counts live tasks per caller and scope through every change', async () => {
    const home = await start();
    const bob = { id: 'demo/bob', scope: 'demo' };
    await home.ledger.create(newTask('t1'));
    await home.ledger.create(newTask('t2', { caller: bob }));
    expect(home.ledger.liveTasks(ALICE)).toEqual({ ofCaller: 1, ofScope: 2 });
    await home.say(completed('t1'));
    expect(home.ledger.liveTasks(ALICE)).toEqual({ ofCaller: 0, ofScope: 1 });
    expect((await home.restart()).ledger.liveTasks(bob)).toEqual({ ofCaller: 1, ofScope: 1 });
  });

  it('lists what was committed a moment ago, and knows accepted messages for a day', async () => {
    const home = await start();
    await home.ledger.create(newTask('t1'));
    const { tasks, total } = home.ledger.list({ caller: ALICE.id, pageSize: 10 });
    expect([tasks.map(({ task }) => task.id), total]).toEqual([['t1'], 1]);
    expect(home.ledger.findMessage(ALICE, 'message-t1')?.taskId).toBe('t1');
    expect(home.ledger.findMessage({ id: 'demo/bob', scope: 'demo' }, 'message-t1')).toBeUndefined();
    await home.save();
    home.clock.advance(24 * 3_600_000);
    expect(home.ledger.findMessage(ALICE, 'message-t1')).toBeUndefined();
  });

  it('never lets the timestamps of a task run backwards', async () => {
    const home = await start();
    await home.ledger.create(newTask('t1'));
    const before = home.ledger.get('t1')?.task.status.timestamp ?? '';
    home.clock.now = () => 0;
    await home.say(completed('t1'));
    expect((home.ledger.get('t1')?.task.status.timestamp ?? '') >= before).toBe(true);
  });
});

describe('a restart', () => {
  it('finds every task as it was seen, from the journal alone', async () => {
    const home = await start();
    await home.ledger.create(newTask('t1'));
    await home.say(delta('t1', 'some'), question('t1'));
    const seen = home.ledger.get('t1');
    await home.restart();
    expect(home.report.recovered).toBe(1);
    expect(home.ledger.get('t1')).toEqual(seen);
  });

  it('ends interrupted turns and tells followers, but leaves questions open', async () => {
    const home = await start();
    await home.ledger.create(newTask('running'));
    await home.ledger.create(newTask('asking'));
    await home.say(question('asking'));
    await home.restart();
    const follower = home.ledger.follow('running');
    await home.ledger.reconcile();
    expect((await follower.next())?.state).toBe('TASK_STATE_FAILED');
    expect(home.ledger.get('running')?.envelope.error?.code).toBe('interrupted');
    expect(home.ledger.get('asking')?.task.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  });

  it('names the tasks that were accepted and never started', async () => {
    const home = await start();
    await home.ledger.create(newTask('queued', { start: false }));
    await home.restart();
    expect(home.ledger.queued()).toEqual(['queued']);
    expect((await home.ledger.startTurn('queued')).task.status.state).toBe('TASK_STATE_WORKING');
  });

  it('offers transcript lines again until the checkpoint that counts them is written', async () => {
    const home = await start();
    await home.ledger.create(newTask('t1'));
    await home.say(delta('t1', 'answer'), completed('t1'));
    await home.restart();
    expect(home.lines.map(({ n, role, text }) => [n, role, text])).toEqual([
      [1, 'user', 'hello'],
      [2, 'assistant', 'answer'],
    ]);
    await home.restart();
    expect(home.lines).toHaveLength(2);
  });

  it('rebuilds a deleted mirror, and drops rows whose files are gone', async () => {
    const home = await start();
    for (const id of ['t1', 't2', 't3']) await home.ledger.create(newTask(id));
    await home.say(completed('t1'));
    await home.save();
    const listed = home.ledger.list({ pageSize: 10 });
    const elsewhere = new TestLedger((clock) => mirrors.open({ clock, file: `${mirrors.folder}/other.db` }), home.disk);
    await elsewhere.restart();
    expect(elsewhere.ledger.list({ pageSize: 10 })).toEqual(listed);
    home.disk.unlink('/home/demo/tasks/t2.json');
    await home.restart();
    expect(home.ledger.list({ pageSize: 10 }).total).toBe(2);
  });

  it('takes a file whose caller belongs to another scope for no task at all', async () => {
    const home = await start();
    await home.ledger.create(newTask('t1'));
    await home.ledger.close();
    home.disk.writeFileAtomic('/home/operator/tasks/t1.json', home.disk.readText('/home/demo/tasks/t1.json') ?? '');
    home.disk.unlink('/home/demo/tasks/t1.json');
    await home.restart();
    expect(home.ledger.get('t1')).toBeUndefined();
  });
});

describe('a full disk', () => {
  it('accepts nothing, shows nothing, and rolls memory back', async () => {
    const home = await start();
    await home.ledger.create(newTask('t1'));
    const before = home.ledger.get('t1');
    home.disk.room = 10;
    await expect(home.ledger.create(newTask('t2'))).rejects.toMatchObject({ code: 'storage-failed' });
    await expect(home.ledger.cancel('t1', 'operator')).rejects.toMatchObject({ code: 'storage-failed' });
    expect(home.ledger.healthy).toBe(false);
    expect(home.ledger.get('t1')).toEqual(before);
    expect(home.ledger.get('t2')).toBeUndefined();
    expect(home.ledger.findMessage(ALICE, 'message-t2')).toBeUndefined();
    expect(home.ledger.liveTasks(ALICE).ofCaller).toBe(1);
  });

  it('tells whoever follows, and ends the turn that lost events once there is room again', async () => {
    const home = await start();
    await home.ledger.create(newTask('t1'));
    const follower = home.ledger.follow('t1');
    home.disk.room = 0;
    await home.say(delta('t1', 'lost'));
    await expect(follower.next()).rejects.toMatchObject({ code: 'storage-failed' });
    await home.say(delta('t1', 'also lost'), completed('t1'));
    home.disk.room = Infinity;
    home.clock.advance(1_000);
    await home.settle();
    expect(home.ledger.healthy).toBe(true);
    expect(home.ledger.get('t1')?.envelope.error?.code).toBe('storage-failed');
  });

  it('becomes healthy again by itself when no task was hurt', async () => {
    const home = await start();
    home.disk.room = 0;
    await expect(home.ledger.create(newTask('t1'))).rejects.toMatchObject({ code: 'storage-failed' });
    home.clock.advance(1_000);
    expect(home.ledger.healthy).toBe(false);
    home.disk.room = Infinity;
    home.clock.advance(1_000);
    expect(home.ledger.healthy).toBe(true);
    await home.ledger.create(newTask('t1'));
    expect(home.ledger.get('t1')?.task.id).toBe('t1');
  });

  it('keeps the journal until a checkpoint that failed could be written', async () => {
    const home = await start();
    await home.ledger.create(newTask('t1'));
    await home.say(completed('t1'));
    home.disk.room = 0;
    home.clock.advance(200);
    home.disk.room = Infinity;
    await home.restart();
    expect(home.ledger.get('t1')?.task.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('keeps webhooks with their task, also when it has ended, and forgets none of it in a restart', async () => {
    const home = await start();
    const hook = (id: string) => ({ id, url: `https://hooks.example/${id}`, version: '1.0' as const });
    await home.ledger.create(newTask('t1', { pushConfig: hook('a') }));
    expect(await home.ledger.pushConfigs.set('t1', hook('b'))).toMatchObject({ id: 'b', acknowledged: 2 });
    await home.say(completed('t1'));
    const shown = home.updates.length;
    const { task, envelope } = home.ledger.get('t1') as TaskRecord;
    await home.ledger.pushConfigs.acknowledge('t1', 'a', 2);
    await home.ledger.pushConfigs.delete('t1', 'b');
    await home.ledger.pushConfigs.set('t1', hook('c'));
    // None of these finds anything to do.
    await home.ledger.pushConfigs.acknowledge('t1', 'a', 2);
    await home.ledger.pushConfigs.acknowledge('t1', 'b', 9);
    await home.ledger.pushConfigs.delete('t1', 'b');
    await home.settle();
    const expected = [
      { id: 'a', acknowledged: 2 },
      { id: 'c', acknowledged: envelope.seq + 2 },
    ];
    expect(home.ledger.get('t1')?.envelope).toMatchObject({ seq: envelope.seq + 3, pushConfigs: expected });
    expect(home.ledger.get('t1')?.task).toEqual(task);
    expect(home.updates.length).toBe(shown);
    // From the journal alone, and then from the checkpoint alone.
    await home.restart();
    expect(home.ledger.get('t1')).toMatchObject({ task, envelope: { pushConfigs: expected } });
    await home.save();
    await home.restart();
    expect(home.ledger.get('t1')).toMatchObject({ task, envelope: { pushConfigs: expected } });
  });

  it('takes ten webhooks and refuses the next before anything is stored', async () => {
    const home = await start();
    const hook = (id: string) => ({ id, url: 'https://hooks.example/', version: '1.0' as const });
    await home.ledger.create(newTask('t1'));
    await home.say(question('t1'));
    for (let i = 0; i < 10; i++) await home.ledger.pushConfigs.set('t1', hook(`h${i}`));
    const before = home.ledger.get('t1');
    await expect(home.ledger.pushConfigs.set('t1', hook('more'))).rejects.toMatchObject({ code: 'invalid-params' });
    const message = { messageId: 'm2', role: 'ROLE_USER' as const, parts: [{ text: 'Ann' }] };
    const step = { message, start: true, pushConfig: hook('more') };
    await expect(home.ledger.resume({ taskId: 't1', requestId: 'r', step })).rejects.toMatchObject({
      code: 'invalid-params',
    });
    expect(home.ledger.get('t1')).toBe(before);
    await expect(home.ledger.pushConfigs.set('unknown', hook('a'))).rejects.toMatchObject({ code: 'task-not-found' });
    await expect(home.ledger.pushConfigs.delete('unknown', 'a')).rejects.toMatchObject({ code: 'task-not-found' });
  });
});

describe('a file that can not be written', () => {
  it('holds up its own task only, and is tried again', async () => {
    const home = await start();
    home.disk.mkdirp('/home/demo/tasks');
    home.disk.failing.add('/home/demo/tasks/t1.json');
    await home.ledger.create(newTask('t1'));
    await home.ledger.create(newTask('t2'));
    await home.save();
    expect(home.disk.readText('/home/demo/tasks/t1.json')).toBeUndefined();
    expect(home.disk.readText('/home/demo/tasks/t2.json')).toBeDefined();
    await home.restart();
    expect(home.report.unwritable).toBe(1);
    expect(home.ledger.get('t2')?.task.status.state).toBe('TASK_STATE_WORKING');
    home.disk.failing.clear();
    await home.restart();
    expect(home.ledger.get('t1')?.task.status.state).toBe('TASK_STATE_WORKING');
  });
});

describe('an index that is locked while the server runs', () => {
  it('loses nothing: tasks go on, lists say why they can not be had, and the index catches up by itself', async () => {
    const home = await start();
    const { mirror } = home;
    await home.ledger.create(newTask('t1'));
    await home.save();
    const upsert = mirror.upsert.bind(mirror);
    let refused = 0;
    mirror.upsert = () =>
      storing(() => {
        refused++;
        throw Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' });
      });
    await home.ledger.create(newTask('t2'));
    await home.say(completed('t1'));
    expect(home.ledger.get('t1')?.task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(() => home.ledger.list({ pageSize: 5 })).toThrow(expect.objectContaining({ code: 'storage-failed' }));
    home.clock.advance(5_000);
    expect(refused).toBeGreaterThan(2);
    expect(home.disk.readText('/home/demo/tasks/t2.json')).toContain('TASK_STATE_WORKING');

    mirror.upsert = upsert;
    home.clock.advance(1_000);
    expect(mirror.ids('demo').sort()).toEqual(['t1', 't2']);
    const { tasks } = home.ledger.list({ pageSize: 5 });
    expect(Object.fromEntries(tasks.map(({ task }) => [task.id, task.status.state]))).toEqual({
      t1: 'TASK_STATE_COMPLETED',
      t2: 'TASK_STATE_WORKING',
    });
  });
});

describe('a session', () => {
  it('finds the lines of its last turns in the transcript before they were due', async () => {
    const home = await start();
    await home.ledger.create(newTask('t1'));
    await home.ledger.create(newTask('t2', { contextId: 'other' }));
    await home.say(delta('t1', 'answer'), completed('t1'));
    expect(home.lines).toEqual([]);
    home.ledger.saveSession({ caller: ALICE.id, agent: 'demo', contextId: 'ctx' });
    expect(home.lines.map(({ taskId, text }) => [taskId, text])).toEqual([
      ['t1', 'hello'],
      ['t1', 'answer'],
    ]);
  });
});

describe('the owner of a workspace', () => {
  it('takes its tasks along with the folder, and no folder is made again', async () => {
    const home = await start();
    await home.ledger.create(newTask('t1'));
    const follower = home.ledger.follow('t1');
    home.gone.add('demo');
    home.disk.failing.add('/home/demo/tasks/t1.json');
    home.clock.advance(1_000);
    expect(home.ledger.get('t1')).toBeUndefined();
    expect(home.ledger.liveTasks(ALICE).ofScope).toBe(0);
    expect(await follower.next()).toBeUndefined();
    expect(home.ledger.list({ pageSize: 10 }).total).toBe(0);
  });
});

describe('a task that was canceled while it spoke', () => {
  it('closes its answer, so that streams and the transcript show what was said', async () => {
    const home = await start();
    await home.ledger.create(newTask('t1'));
    const follower = home.ledger.follow('t1');
    await home.say(delta('t1', 'half'));
    await home.ledger.cancel('t1', 'operator');
    const chunks = (await all(follower)).flatMap(({ event }) =>
      event && 'artifactUpdate' in event ? [event.artifactUpdate] : [],
    );
    expect(chunks.map(({ lastChunk }) => lastChunk)).toEqual([false, true]);
  });

  it('is not failed afterwards for what a full disk lost before', async () => {
    const home = await start();
    await home.ledger.create(newTask('t1'));
    home.disk.room = 0;
    await home.say(delta('t1', 'lost'));
    home.disk.room = Infinity;
    await home.ledger.cancel('t1', 'operator');
    home.clock.advance(1_000);
    await home.settle();
    expect(home.ledger.get('t1')?.envelope.transitions.at(-1)?.state).toBe('TASK_STATE_CANCELED');
  });
});

describe('what JSON can not express', () => {
  it('changes nothing, in memory or on disk', async () => {
    const home = await start();
    await expect(
      home.ledger.create(newTask('t1', { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ data: 10n }] } })),
    ).rejects.toThrow();
    expect(home.ledger.liveTasks(ALICE)).toEqual({ ofCaller: 0, ofScope: 0 });
    expect(home.ledger.findMessage(ALICE, 'm')).toBeUndefined();
    await home.ledger.create(newTask('t1'));
    expect(home.ledger.get('t1')?.task.id).toBe('t1');
  });
});

describe('a journal line by another hand', () => {
  it.each<[string, object]>([
    ['without a message', { type: 'created', caller: ALICE }],
    ['of another scope', { ...newTask('t9'), type: 'created', hash: 'h', caller: { id: 'other/eve', scope: 'other' } }],
  ])('%s is reported and skipped', async (_what, event) => {
    const home = await start();
    await home.ledger.create(newTask('t1'));
    const file = '/home/demo/journal/0000000001.jsonl';
    const line = JSON.stringify({ taskId: 't9', seq: 1, at: 1, event });
    home.disk.writeFileAtomic(file, `${home.disk.readText(file) ?? ''}${line}\n`);
    await home.restart();
    expect([home.report.damaged, home.ledger.get('t9')]).toEqual([1, undefined]);
    expect(home.ledger.get('t1')).toBeDefined();
  });
});

describe('a folder that was moved away and back', () => {
  it('has its tasks in the lists again after the next start, though it looks as before', async () => {
    const home = await start();
    await home.ledger.create(newTask('t1'));
    await home.say(completed('t1'));
    await home.ledger.close();
    await home.restart();
    const folder = '/home/demo/tasks';
    const stamp = home.disk.stampFolder(folder);
    const away = home.disk.hidden;
    away.add(`${folder}/t1.json`);
    expect(home.ledger.get('t1')).toBeUndefined();
    expect(home.ledger.list({ pageSize: 10 }).total).toBe(0);
    away.clear();
    expect(home.disk.stampFolder(folder)).toBe(stamp);
    await home.ledger.close();
    await home.restart();
    expect(home.ledger.get('t1')?.task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(home.ledger.list({ pageSize: 10 }).total).toBe(1);
  });
});
