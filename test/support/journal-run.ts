// Drives a journal and its checkpoints as the ledger does, and folds them back as recovery does. Every acknowledged
// entry is marked on the disk's record of operations.
import { CheckpointStore } from '../../src/ledger/checkpoint-store.js';
import { Journal } from '../../src/ledger/journal.js';
import type { JournalFolder } from '../../src/ledger/journal-folder.js';
import { readJournal, removeSegments, type DamagedLine } from '../../src/ledger/journal-reader.js';
import type { JournalEntry, PurgedEvent, TaskEvent, TaskRecord } from '../../src/ledger/records.js';
import { reduce, refusalOf } from '../../src/ledger/task-reducer.js';
import { silentLogger } from '../../src/log.js';
import type { Durability } from '../../src/disk.js';
import type { RecordingDisk } from './recording-disk.js';

export const CLOCK = { now: () => 1_700_000_000_000, after: () => () => undefined };

export function created(taskId: string): TaskEvent {
  return {
    type: 'created',
    start: false,
    caller: { id: 'demo/alice', scope: 'demo' },
    agent: 'demo',
    executor: 'session',
    contextId: 'c1',
    message: { messageId: `m-${taskId}`, role: 'ROLE_USER', parts: [{ text: 'hello' }] },
    hash: 'h',
    requestId: `r-${taskId}`,
    surface: 'a2a',
    chain: [],
  };
}

/** The stores of one scope at `/s`. */
export function openScope(
  disk: RecordingDisk,
  durability: Durability,
): { folder: JournalFolder; store: CheckpointStore } {
  const log = silentLogger();
  const store = new CheckpointStore({ disk, dir: '/s', durability, clock: CLOCK, log });
  return { store, folder: { disk, dir: '/s', durability, checkpoints: store, log } };
}

/** What a restart makes of the files: per task the newest record without a gap. */
export function fold(
  disk: RecordingDisk,
  damage: (line: DamagedLine) => void = () => undefined,
): Map<string, TaskRecord> {
  const { folder, store } = openScope(disk, 'process');
  const { entries, purged } = readJournal(folder, damage);
  const records = new Map<string, TaskRecord>();
  const add = (taskId: string): TaskRecord | undefined => {
    const checkpoint = store.read(taskId);
    if (checkpoint) records.set(taskId, { task: checkpoint.task, envelope: checkpoint.envelope });
    return checkpoint;
  };
  store.ids().forEach(add);
  for (const entry of entries) {
    const before = records.get(entry.taskId);
    if (entry.seq !== (before?.envelope.seq ?? 0) + 1 || refusalOf(before, entry.event) !== undefined) continue;
    records.set(entry.taskId, reduce(before, entry).record);
  }
  for (const { taskId } of purged) records.delete(taskId);
  return records;
}

/** One process's life on a disk: after a restart, make a new one on the same disk with the folded records. */
export class JournalRun {
  readonly journal: Journal;
  readonly errors: Error[] = [];
  private readonly folder: JournalFolder;
  private readonly store: CheckpointStore;
  private readonly committed = new Map<string, TaskRecord>();

  constructor(
    private readonly disk: RecordingDisk,
    durability: Durability,
    /** Every record there ever was, by `<taskId>:<seq>`, as JSON. */
    readonly truth: Map<string, string>,
    private readonly heads = new Map<string, TaskRecord>(),
    segmentBytes?: number,
  ) {
    const scope = openScope(disk, durability);
    this.folder = scope.folder;
    this.store = scope.store;
    this.journal = new Journal(this.folder, segmentBytes);
    for (const [taskId, record] of heads) this.committed.set(taskId, record);
  }

  /** Recovery: the folded records into checkpoints, purged ones away, then the old segments away. */
  async recover(): Promise<void> {
    const journal = readJournal(this.folder, () => undefined);
    for (const { taskId } of journal.purged) this.store.remove(taskId);
    for (const record of this.heads.values()) {
      if (this.store.read(record.task.id)?.envelope.seq !== record.envelope.seq)
        this.store.write(record, { sync: true });
    }
    await removeSegments(this.folder, journal);
  }

  /** Takes an ended task away: from the commit on it must not be seen again. */
  purge(taskId: string): void {
    const { envelope, task } = this.heads.get(taskId) as TaskRecord;
    const { id: caller } = envelope.caller;
    const event: PurgedEvent = { type: 'purged', caller, agent: envelope.agent, contextId: task.contextId, blobs: [] };
    const seq = envelope.seq + 1;
    this.disk.mark(`${taskId}:purging`);
    this.journal.append({ taskId, seq, at: CLOCK.now(), event }, (error) => {
      if (error) return void this.errors.push(error);
      this.heads.delete(taskId);
      this.committed.delete(taskId);
      this.disk.mark(`${taskId}:purged`);
      this.store.remove(taskId);
      this.journal.checkpointed(taskId, seq);
    });
  }

  step(taskId: string, event: TaskEvent): void {
    const before = this.heads.get(taskId);
    const entry: JournalEntry = { taskId, seq: (before?.envelope.seq ?? 0) + 1, at: CLOCK.now(), event };
    const { record } = reduce(before, entry);
    this.heads.set(taskId, record);
    this.truth.set(`${taskId}:${record.envelope.seq}`, JSON.stringify(record));
    this.journal.append(entry, (error) => {
      if (error) {
        this.errors.push(error);
        const good = this.committed.get(taskId);
        if (good) this.heads.set(taskId, good);
        else this.heads.delete(taskId);
        return;
      }
      this.committed.set(taskId, record);
      this.disk.mark(`${taskId}:${record.envelope.seq}`);
    });
  }

  checkpoint(taskId: string): void {
    const record = this.committed.get(taskId);
    if (!record) return;
    this.store.write(record, { sync: !this.journal.holdsAll(taskId) });
    this.journal.checkpointed(taskId, record.envelope.seq);
  }
}
