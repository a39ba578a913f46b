// The task files of one scope: `tasks/<taskId>.json`. Invariant: a file that is replaced shows a whole checkpoint, the old
// or the new. A task's first file is written straight under its name, so a crash may leave a part of it: the journal still
// holds that task then, and recovery writes the file anew.
import { join } from 'node:path';
import { TASK_STATES } from '../a2a-model.js';
import type { Clock } from '../clock.js';
import type { Disk, Durability } from '../disk.js';
import { AppError, errorText, systemCode } from '../errors.js';
import type { Logger } from '../log.js';
import { parseJson } from '../read-json.js';
import { isTaskId } from '../workspace/names.js';
import { RECORD_VERSION, type Checkpoint, type TaskRecord } from './records.js';

interface CheckpointStoreDeps {
  disk: Disk;
  /** The scope's folder; the checkpoints are in `<dir>/tasks/`. */
  dir: string;
  durability: Durability;
  clock: Clock;
  log: Logger;
}

const EXTENSION = '.json';
const POINTS = {
  before: 'checkpoint.before-write',
  temp: 'checkpoint.after-temp',
  renamed: 'checkpoint.after-rename',
} as const;
/** Files synced at the same time: the pool behind file operations has four threads, and the journal needs one. */
const SYNCS_AT_ONCE = 2;
const STATES: ReadonlySet<unknown> = new Set(TASK_STATES);

export class CheckpointStore {
  private readonly folder: string;
  /** With `power`: tasks whose newest checkpoint is perhaps not on the medium yet. */
  private unsynced = new Set<string>();
  private syncing: Promise<void> = Promise.resolve();

  constructor(private readonly deps: CheckpointStoreDeps) {
    this.folder = join(deps.dir, 'tasks');
  }

  /**
   * Replaces the task's checkpoint. `sync` must be true when the journal no longer holds the task's whole history
   * (`!journal.holdsAll(taskId)`): after a power cut a rename may have survived without the content of its file, and
   * then nothing but the old checkpoint could have brought the task back. It matters with `power` only. `first`: there
   * is none yet and the journal holds everything, so a crash in the middle costs nothing and the detour by a temporary
   * file can be saved. Throws the errors of node:fs; the old checkpoint is untouched then.
   */
  write({ task, envelope }: TaskRecord, options: { sync: boolean; first?: boolean }): void {
    const checkpoint: Checkpoint = { v: RECORD_VERSION, task, envelope };
    const power = this.deps.durability === 'power';
    const text = JSON.stringify(checkpoint);
    if (!options.first || options.sync || !this.writeFirst(task.id, text)) {
      this.deps.disk.writeFileAtomic(this.path(task.id), text, {
        points: POINTS,
        ...(power && options.sync && { sync: 'file' }),
      });
    }
    // Also after a sync: the rename itself still waits for the folder's.
    if (power) this.unsynced.add(task.id);
  }

  /**
   * The task's checkpoint. Undefined for an id that is none, for a missing file, and for a damaged one, which is set
   * aside with a warning unless the caller can do without it. Throws AppError `config` for a file of a newer version, which must not be overwritten.
   */
  read(taskId: string, damaged: 'set-aside' | 'ignore' = 'set-aside'): Checkpoint | undefined {
    if (!isTaskId(taskId)) return undefined;
    const text = this.deps.disk.readText(this.path(taskId));
    if (text === undefined) return undefined;
    const checkpoint = parseJson(text);
    if (isCheckpoint(checkpoint, taskId)) return checkpoint;
    const version = (checkpoint as { v?: unknown } | undefined)?.v;
    if (typeof version === 'number' && version > RECORD_VERSION) {
      throw new AppError(
        'config',
        `The file of task ${taskId} was written by a newer version of the switchboard (format ${version}; this one reads ${RECORD_VERSION}).`,
      );
    }
    if (damaged === 'set-aside') this.setAside(taskId);
    return undefined;
  }

  /** Takes the task's file away. With `power` the next `sync` puts that on the medium. */
  remove(taskId: string): void {
    const { disk, durability } = this.deps;
    disk.unlink(this.path(taskId));
    if (durability === 'power') this.unsynced.add(taskId);
    disk.failpoints.hit('purge.after-checkpoint');
  }

  /** Every readable checkpoint, or those of the given tasks, in no order. Damaged files are set aside; files of a newer version are logged. */
  *all(ids = this.ids()): Generator<Checkpoint> {
    for (const taskId of ids) {
      let checkpoint: Checkpoint | undefined;
      try {
        checkpoint = this.read(taskId);
      } catch (error) {
        this.deps.log.error({ file: this.path(taskId), reason: errorText(error) }, 'a task file could not be read');
      }
      if (checkpoint) yield checkpoint;
    }
  }

  /** Changes whenever a task's file comes or goes. */
  stamp(): string | undefined {
    return this.deps.disk.stampFolder(this.folder);
  }

  /** Ids of all tasks that have a file here, unsorted. Clears away what a crash left of unfinished writes. */
  ids(): string[] {
    const ids: string[] = [];
    for (const name of this.deps.disk.list(this.folder)) {
      // Writes are synchronous and this process is the only one, so a temporary file seen here belongs to nobody.
      if (name.endsWith('.tmp')) this.deps.disk.unlinkQuietly(join(this.folder, name));
      else if (name.endsWith(EXTENSION)) {
        const id = name.slice(0, -EXTENSION.length);
        if (isTaskId(id)) ids.push(id);
      }
    }
    return ids;
  }

  /**
   * Puts all checkpoints written before this call on the medium, content and name, and those of `also`, whoever wrote
   * them. In the background and a few at a time. Does nothing without `power`.
   */
  sync(also: Iterable<string> = []): Promise<void> {
    if (this.deps.durability !== 'power') return Promise.resolve();
    // One after the other: a call must not return while an earlier one still works on what it would have synced.
    const done = this.syncing.then(() => this.syncAll(also));
    this.syncing = done.catch(() => undefined);
    return done;
  }

  private async syncAll(also: Iterable<string>): Promise<void> {
    const taskIds = new Set([...this.unsynced, ...also]);
    if (taskIds.size === 0) return;
    this.unsynced = new Set();
    try {
      const queue = taskIds.values();
      const worker = async (): Promise<void> => {
        for (const taskId of queue) await this.deps.disk.syncFile(this.path(taskId));
      };
      await Promise.all(Array.from({ length: SYNCS_AT_ONCE }, worker));
      await this.deps.disk.syncFolder(this.folder);
      await this.deps.disk.syncFolder(this.deps.dir);
    } catch (error) {
      for (const taskId of taskIds) this.unsynced.add(taskId);
      throw error;
    }
  }

  /** False when there is a file, or no folder yet. */
  private writeFirst(taskId: string, text: string): boolean {
    try {
      this.deps.disk.writeFileNew(this.path(taskId), text, POINTS);
      return true;
    } catch (error) {
      const code = systemCode(error);
      if (code === 'EEXIST' || code === 'ENOENT') return false;
      throw error;
    }
  }

  private path(taskId: string): string {
    return join(this.folder, taskId + EXTENSION);
  }

  private setAside(taskId: string): void {
    const { disk, clock, log } = this.deps;
    const file = this.path(taskId);
    log.warn({ file }, 'a task file is damaged and was set aside');
    try {
      disk.rename(file, `${file}.corrupt-${clock.now()}`);
    } catch (error) {
      log.warn({ file, reason: errorText(error) }, 'a damaged task file could not be set aside');
    }
  }
}

/** A light check: enough that nothing which reads a record trips over it, cheap enough for 100,000 of them. */
function isCheckpoint(value: unknown, taskId: string): value is Checkpoint {
  const { v, task, envelope } = (value ?? {}) as Partial<Checkpoint>;
  return (
    v === RECORD_VERSION &&
    task?.id === taskId &&
    typeof task.contextId === 'string' &&
    STATES.has(task.status?.state) &&
    typeof task.status.timestamp === 'string' &&
    Array.isArray(task.artifacts) &&
    Array.isArray(task.history) &&
    typeof envelope?.caller?.id === 'string' &&
    typeof envelope.caller.scope === 'string' &&
    typeof envelope.agent === 'string' &&
    Number.isSafeInteger(envelope.seq) &&
    Number.isSafeInteger(envelope.turn) &&
    Array.isArray(envelope.transitions) &&
    Array.isArray(envelope.messages)
  );
}
