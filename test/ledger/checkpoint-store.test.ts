import type { TaskRecord } from '../../src/ledger/records.js';
import { reduce } from '../../src/ledger/task-reducer.js';
import { CLOCK, created, openScope } from '../support/journal-run.js';
import { FileTree, RecordingDisk } from '../support/recording-disk.js';

const newDisk = (): RecordingDisk => new RecordingDisk(new FileTree(new Map(), new Map(), new Set(['/', '/s'])));
const record = (taskId: string): TaskRecord =>
  reduce(undefined, { taskId, seq: 1, at: CLOCK.now(), event: created(taskId) }).record;

function put(disk: RecordingDisk, name: string, text: string): void {
  disk.mkdirp('/s/tasks');
  disk.write(disk.createNew(`/s/tasks/${name}`), Buffer.from(text));
}

describe('a checkpoint', () => {
  it('comes back as it was written, with its version', () => {
    const disk = newDisk();
    const { store } = openScope(disk, 'process');
    const written = record('t1');
    store.write(written, { sync: true });
    expect(store.read('t1')).toEqual({ v: 1, ...written });
    expect(disk.list('/s/tasks')).toEqual(['t1.json']);
    // Without `power` nothing is synced, whatever was asked for.
    expect(disk.count('sync')).toBe(0);
  });

  it('may start with a byte order mark', () => {
    const disk = newDisk();
    put(disk, 't1.json', `\uFEFF${JSON.stringify({ v: 1, ...record('t1') })}`);
    expect(openScope(disk, 'process').store.read('t1')?.task.id).toBe('t1');
  });

  it('is undefined for an unknown id and for what can be no id, without touching the disk', () => {
    const { store } = openScope(newDisk(), 'process');
    for (const id of ['nobody', '../t1', 'a/b', '', 'x'.repeat(65), 'T 1']) expect(store.read(id)).toBeUndefined();
  });

  it('is set aside when it is damaged, has the wrong shape or another id', () => {
    const good = { v: 1, ...record('t1') };
    const bad = [
      '',
      '{',
      'null',
      '[]',
      '{"v":1}',
      JSON.stringify({ ...good, v: 0 }),
      JSON.stringify({ ...good, task: { ...good.task, id: 't2' } }),
      JSON.stringify({ ...good, task: { ...good.task, status: { state: 'working' } } }),
      JSON.stringify({ ...good, envelope: { ...good.envelope, seq: 'one' } }),
    ];
    for (const text of bad) {
      const disk = newDisk();
      put(disk, 't1.json', text);
      const { store } = openScope(disk, 'process');
      expect(store.read('t1')).toBeUndefined();
      expect(disk.list('/s/tasks')).toEqual([`t1.json.corrupt-${CLOCK.now()}`]);
      expect(store.ids()).toEqual([]);
    }
  });

  it('of a newer version is refused and left alone, and keeps nobody from reading the others', () => {
    const disk = newDisk();
    put(disk, 't1.json', JSON.stringify({ v: 2, something: 'else' }));
    const { store } = openScope(disk, 'process');
    store.write(record('t2'), { sync: false });
    expect(() => store.read('t1')).toThrow(expect.objectContaining({ code: 'config' }));
    expect([...store.all()].map((checkpoint) => checkpoint.task.id)).toEqual(['t2']);
    expect(disk.list('/s/tasks').sort()).toEqual(['t1.json', 't2.json']);
  });

  it('keeps its old content when the new one does not fit on the disk', () => {
    const disk = newDisk();
    const { store } = openScope(disk, 'process');
    store.write(record('t1'), { sync: false });
    disk.room = 10;
    const newer = { ...record('t1'), envelope: { ...record('t1').envelope, seq: 9 } };
    expect(() => store.write(newer, { sync: false })).toThrow(/ENOSPC/);
    expect(store.read('t1')?.envelope.seq).toBe(1);
    expect(disk.list('/s/tasks')).toEqual(['t1.json']);
  });
});

describe('the folder of checkpoints', () => {
  it('lists ids only, and clears away unfinished writes', () => {
    const disk = newDisk();
    const { store } = openScope(disk, 'process');
    expect(store.ids()).toEqual([]);
    store.write(record('t1'), { sync: false });
    for (const name of ['t2.json.tmp', 't3.json.corrupt-1', 'notes.md', 'Not An Id.json']) put(disk, name, '{}');
    expect(store.ids()).toEqual(['t1']);
    expect(disk.list('/s/tasks')).not.toContain('t2.json.tmp');
    expect(disk.list('/s/tasks')).toContain('t3.json.corrupt-1');
  });
});

describe('durability power', () => {
  it('syncs the content before the rename when asked to', () => {
    const disk = newDisk();
    openScope(disk, 'power').store.write(record('t1'), { sync: true });
    const kinds = disk.ops.map((op) => op.kind);
    expect(kinds.indexOf('sync')).toBeLessThan(kinds.indexOf('rename'));
    expect(kinds.indexOf('sync')).toBeGreaterThan(0);
  });

  it('brings every checkpoint written so far to the medium, once', async () => {
    const disk = newDisk();
    const { store } = openScope(disk, 'power');
    for (const id of ['t1', 't2', 't3']) store.write(record(id), { sync: false });
    await store.sync();
    expect(disk.count('sync')).toBe(3);
    await store.sync();
    expect(disk.count('sync')).toBe(3);
    await store.sync(['t2', 'unknown']);
    expect(disk.count('sync')).toBe(4);
  });

  it('lets no second call return before the first one is done', async () => {
    const disk = newDisk();
    const { store } = openScope(disk, 'power');
    store.write(record('t1'), { sync: false });
    const first = store.sync();
    await store.sync();
    expect(disk.count('sync')).toBe(1);
    await first;
  });

  it('tries again what could not be synced', async () => {
    const disk = newDisk();
    const { store } = openScope(disk, 'power');
    store.write(record('t1'), { sync: false });
    disk.syncFails = true;
    await expect(store.sync()).rejects.toThrow(/EIO/);
    disk.syncFails = false;
    await store.sync();
    expect(disk.count('sync')).toBe(1);
  });
});
