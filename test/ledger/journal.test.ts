import { readJournal } from '../../src/ledger/journal-reader.js';
import { Journal } from '../../src/ledger/journal.js';
import type { TaskEvent } from '../../src/ledger/records.js';
import { created, openScope } from '../support/journal-run.js';
import { FileTree, RecordingDisk } from '../support/recording-disk.js';

const newDisk = (): RecordingDisk => new RecordingDisk(new FileTree(new Map(), new Map(), new Set(['/', '/s'])));
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const delta = (text: string): TaskEvent => ({ type: 'text', turn: 1, pieces: [text], end: false });

/** A journal that notes how each entry settled, as `<taskId>:<seq>` or `<taskId>:<seq>!`. */
function open(disk: RecordingDisk, durability: 'process' | 'power' = 'process', segmentBytes?: number) {
  const { folder, store } = openScope(disk, durability);
  const journal = new Journal(folder, segmentBytes);
  const settled: string[] = [];
  const append = (taskId: string, seq: number, event: TaskEvent = delta('x')): void =>
    journal.append({ taskId, seq, at: 1, event }, (error) => {
      settled.push(`${taskId}:${seq}${error ? '!' : ''}`);
      if (error) expect(error).toMatchObject({ name: 'AppError', code: 'storage-failed' });
    });
  const read = (): string[] => readJournal(folder, () => undefined).entries.map((e) => `${e.taskId}:${e.seq}`);
  return { journal, append, settled, read, store, folder };
}

const segments = (disk: RecordingDisk): string[] => disk.list('/s/journal').sort();

describe('group commit', () => {
  it('writes everything appended in one tick with one call, and settles in the order of appending', async () => {
    const disk = newDisk();
    const { journal, append, settled, read } = open(disk);
    for (let seq = 1; seq <= 20; seq++) append(seq % 2 ? 'a' : 'b', seq);
    expect(disk.ops).toEqual([]);
    await journal.flush();
    expect(disk.count('write')).toBe(1);
    expect(settled).toEqual(Array.from({ length: 20 }, (_, i) => `${i % 2 ? 'b' : 'a'}:${i + 1}`));
    expect(read()).toEqual(settled);
  });

  it('gives what a callback appends to the next group', async () => {
    const disk = newDisk();
    const { journal, append, settled } = open(disk);
    journal.append({ taskId: 'a', seq: 1, at: 1, event: created('a') }, () => append('a', 2));
    append('b', 1);
    await journal.flush();
    expect(settled).toEqual(['b:1']);
    await journal.flush();
    expect(settled).toEqual(['b:1', 'a:2']);
    expect(disk.count('write')).toBe(2);
  });

  it('goes on when a callback throws', async () => {
    const { journal, append, settled } = open(newDisk());
    journal.append({ taskId: 'a', seq: 1, at: 1, event: created('a') }, () => {
      throw new Error('broken');
    });
    append('b', 1);
    await journal.flush();
    expect(settled).toEqual(['b:1']);
  });

  it('takes nothing of an entry that JSON cannot express', async () => {
    const { journal, append, read } = open(newDisk());
    append('a', 1);
    const event = { ...delta('x'), odd: 1n } as unknown as TaskEvent;
    expect(() => journal.append({ taskId: 'a', seq: 2, at: 1, event }, () => undefined)).toThrow(TypeError);
    await journal.flush();
    expect(read()).toEqual(['a:1']);
  });

  it('resolves a flush at once when nothing is waiting', async () => {
    const disk = newDisk();
    await open(disk).journal.flush();
    expect(disk.ops).toEqual([]);
  });

  it('refuses entries after it was closed', async () => {
    const { journal, append, settled } = open(newDisk());
    await journal.close();
    append('a', 1);
    await journal.flush();
    expect(settled).toEqual(['a:1!']);
  });
});

describe('durability power', () => {
  it('settles only after the sync, of the folder too for a new segment, and gathers meanwhile', async () => {
    const disk = newDisk();
    const { journal, append, settled } = open(disk, 'power');
    append('a', 1);
    await nextTurn();
    expect(disk.count('write')).toBe(1);
    expect(settled).toEqual([]);
    append('a', 2);
    append('b', 1);
    await journal.flush();
    expect(settled).toEqual(['a:1', 'a:2', 'b:1']);
    const kinds = disk.ops.map((op) => op.kind).filter((kind) => kind !== 'mkdir' && kind !== 'create');
    // The first group syncs the journal's folder and those above it; the second one only its data.
    expect(kinds).toEqual(['write', 'sync', 'syncFolder', 'syncFolder', 'syncFolder', 'write', 'sync']);
  });

  it('fails the group and what was appended meanwhile when the sync fails, and writes to another segment then', async () => {
    const disk = newDisk();
    const { journal, append, settled, read } = open(disk, 'power');
    append('a', 1);
    await journal.flush();
    disk.syncFails = true;
    append('a', 2);
    await nextTurn();
    append('a', 3);
    append('b', 1);
    await journal.flush();
    expect(settled).toEqual(['a:1', 'a:2!', 'a:3!', 'b:1!']);
    disk.syncFails = false;
    append('a', 2);
    await journal.flush();
    expect(settled.at(-1)).toBe('a:2');
    expect(read()).toEqual(['a:1', 'a:2']);
    expect(segments(disk)).toHaveLength(2);
  });

  it('puts checkpoints on the medium before it removes a segment', async () => {
    const disk = newDisk();
    const { journal, append, store } = open(disk, 'power', 1);
    append('a', 1, created('a'));
    await journal.flush();
    expect(journal.holdsAll('a')).toBe(true);
    const from = disk.ops.length;
    jsonCheckpoint(store, 'a', 1);
    journal.checkpointed('a', 1);
    expect(journal.holdsAll('a')).toBe(false);
    await journal.close();
    const kinds = disk.ops.slice(from).map((op) => op.kind);
    expect(kinds.indexOf('sync')).toBeGreaterThan(kinds.indexOf('rename'));
    expect(kinds.indexOf('unlink')).toBeGreaterThan(kinds.indexOf('sync'));
  });
});

function jsonCheckpoint(store: ReturnType<typeof openScope>['store'], taskId: string, seq: number): void {
  store.write({ task: { id: taskId }, envelope: { seq } } as Parameters<typeof store.write>[0], { sync: false });
}

describe('a full disk', () => {
  it('rolls the whole group back and takes entries again once there is room', async () => {
    const disk = newDisk();
    const { journal, append, settled, read } = open(disk);
    append('a', 1);
    await journal.flush();
    disk.room = 100;
    append('a', 2);
    append('b', 1, delta('y'.repeat(200)));
    await journal.flush();
    expect(settled).toEqual(['a:1', 'a:2!', 'b:1!']);
    expect(read()).toEqual(['a:1']);
    disk.room = Infinity;
    append('a', 2);
    await journal.flush();
    expect(read()).toEqual(['a:1', 'a:2']);
  });

  it('leaves no file behind when not even the first group fits, however often it is tried', async () => {
    const disk = newDisk();
    const { journal, append, settled, read } = open(disk);
    disk.room = 0;
    for (let attempt = 0; attempt < 3; attempt++) {
      append('a', 1);
      await journal.flush();
    }
    expect(segments(disk)).toEqual([]);
    disk.room = Infinity;
    append('a', 1);
    await journal.flush();
    expect(settled).toEqual(['a:1!', 'a:1!', 'a:1!', 'a:1']);
    expect(read()).toEqual(['a:1']);
  });

  it('lets no failed entry come back when the failed write could not be cut off either', async () => {
    const disk = newDisk();
    const { journal, append, read } = open(disk, 'power');
    append('a', 1);
    await journal.flush();
    disk.syncFails = true;
    disk.readOnlyNames = true;
    append('a', 2, delta('never'));
    await journal.flush();
    disk.syncFails = false;
    disk.readOnlyNames = false;
    append('a', 2, delta('again'));
    await journal.flush();
    expect(read()).toEqual(['a:1', 'a:2']);
    const { folder } = openScope(disk, 'power');
    expect(readJournal(folder, () => undefined).entries.at(-1)?.event).toEqual(delta('again'));
  });
});

describe('segments', () => {
  it('go, oldest first, when all their tasks are checkpointed', async () => {
    const disk = newDisk();
    const { journal, append } = open(disk, 'process', 1);
    for (const [taskId, seq] of [
      ['a', 1],
      ['b', 1],
      ['a', 2],
      ['a', 3],
    ] as const) {
      append(taskId, seq);
      await journal.flush();
    }
    const [first, second, third, fourth] = segments(disk);
    expect(fourth).toBe('0000000004.jsonl');
    journal.checkpointed('a', 2);
    await nextTurn();
    // The third has nothing to wait for, but the second, which is older, has.
    expect(segments(disk)).toEqual([second, third, fourth]);
    expect(first).toBe('0000000001.jsonl');
    journal.checkpointed('b', 1);
    await nextTurn();
    expect(segments(disk)).toEqual([fourth]);
  });

  it('stay while a checkpoint is older than what they hold', async () => {
    const disk = newDisk();
    const { journal, append } = open(disk, 'process', 200);
    append('a', 1);
    append('a', 2);
    append('a', 3);
    await journal.flush();
    journal.checkpointed('a', 2);
    await nextTurn();
    expect(segments(disk)).toHaveLength(1);
    journal.checkpointed('a', 3);
    await nextTurn();
    expect(segments(disk)).toHaveLength(0);
  });

  it('leave nothing after a clean stop with everything checkpointed, and all of it otherwise', async () => {
    const disk = newDisk();
    const first = open(disk);
    first.append('a', 1);
    await first.journal.flush();
    await first.journal.close();
    expect(segments(disk)).toHaveLength(1);
    const second = open(disk);
    second.append('b', 1);
    await second.journal.flush();
    second.journal.checkpointed('b', 1);
    await second.journal.close();
    expect(segments(disk)).toEqual(['0000000001.jsonl']);
  });

  it('begin anew with every start, numbered after what is there', async () => {
    const disk = newDisk();
    for (const seq of [1, 2]) {
      const { journal, append } = open(disk);
      append('a', seq);
      await journal.close();
    }
    expect(segments(disk)).toEqual(['0000000001.jsonl', '0000000002.jsonl']);
    expect(open(disk).read()).toEqual(['a:1', 'a:2']);
  });

  it('are tried again later when one can not be removed', async () => {
    const disk = newDisk();
    const { journal, append } = open(disk, 'process', 1);
    append('a', 1);
    await journal.flush();
    disk.readOnlyNames = true;
    journal.checkpointed('a', 1);
    await nextTurn();
    expect(segments(disk)).toHaveLength(1);
    disk.readOnlyNames = false;
    journal.checkpointed('a', 1);
    await nextTurn();
    expect(segments(disk)).toHaveLength(0);
  });
});
