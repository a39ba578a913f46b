// The files of every scope (a workspace, or the operator): one journal and one folder of checkpoints each, opened when
// first used.
import { join } from 'node:path';
import type { Clock } from '../clock.js';
import type { Disk, Durability } from '../disk.js';
import type { Failpoints } from '../failpoints.js';
import type { Logger } from '../log.js';
import type { StorageUse } from '../workspace/storage-use.js';
import { CheckpointStore } from './checkpoint-store.js';
import { Journal } from './journal.js';
import type { JournalFolder } from './journal-folder.js';
import type { TaskRecord, TranscriptLine } from './records.js';

export interface ScopeStore {
  folder: JournalFolder;
  journal: Journal;
  checkpoints: CheckpointStore;
}

interface ScopeStoresDeps {
  disk: Disk;
  clock: Clock;
  log: Logger;
  durability: Durability;
  /** The folder that holds `tasks/`, `journal/` and `blobs/` of a scope. */
  folderOf(scope: string): string;
  /** True for a workspace that is not there any more. */
  isGone(scope: string): boolean;
  /** Appends lines to the transcript of the task's session, if its executor keeps one. */
  saveLines(record: TaskRecord, lines: readonly TranscriptLine[]): void;
  /** Makes what is beside the tasks survive a loss of power; called before the journal lets go of what it came from. */
  syncLines(): Promise<unknown>;
  /** What is told of every byte that the journals take. */
  use?: StorageUse;
}

export class ScopeStores {
  private readonly open = new Map<string, ScopeStore>();

  constructor(private readonly deps: ScopeStoresDeps) {}

  get use(): StorageUse | undefined {
    return this.deps.use;
  }

  of(scope: string): ScopeStore {
    const known = this.open.get(scope);
    if (known) return known;
    const { disk, clock, log, durability } = this.deps;
    const dir = this.deps.folderOf(scope);
    const checkpoints = new CheckpointStore({ disk, dir, durability, clock, log });
    const sync = async (also?: Iterable<string>): Promise<void> => {
      await this.deps.syncLines();
      await checkpoints.sync(also);
    };
    const grew = (bytes: number): void => this.deps.use?.grew(scope, bytes);
    const folder: JournalFolder = { disk, dir, durability, checkpoints: { sync }, log, grew };
    const store = { folder, checkpoints, journal: new Journal(folder) };
    this.open.set(scope, store);
    return store;
  }

  /** Writes the record to its checkpoint; `first` when it has none yet. Throws the errors of node:fs. */
  saveCheckpoint(record: TaskRecord, first: boolean): void {
    const { journal, checkpoints } = this.of(record.envelope.caller.scope);
    checkpoints.write(record, { sync: !journal.holdsAll(record.task.id), first });
  }

  saveLines(record: TaskRecord, lines: readonly TranscriptLine[]): void {
    this.deps.saveLines(record, lines);
  }

  get failpoints(): Failpoints {
    return this.deps.disk.failpoints;
  }

  /** True when the owner has taken the scope's folder away. */
  gone(scope: string): boolean {
    return this.deps.isGone(scope);
  }

  /** Throws when a scope that is in use can't be written. */
  probe(): void {
    for (const [scope, { folder }] of this.open) {
      if (this.gone(scope)) continue;
      const file = join(folder.dir, '.probe');
      folder.disk.writeFileAtomic(file, 'ok');
      folder.disk.unlink(file);
    }
  }

  /** Resolves when everything appended so far has been committed or refused. */
  async flush(): Promise<void> {
    await Promise.all([...this.open.values()].map((store) => store.journal.flush()));
  }

  /** All that were used so far. */
  all(): Iterable<[scope: string, store: ScopeStore]> {
    return this.open;
  }

  async close(): Promise<void> {
    await Promise.all([...this.open.values()].map((store) => store.journal.close()));
  }
}
