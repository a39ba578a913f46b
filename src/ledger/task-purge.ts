// Takes ended tasks out of the world. Invariant: the purge is in the journal before anything goes, and its entry stays
// there until everything is gone, so that the next start finishes what a crash broke off. From the commit on the task
// answers like one that never was.
import type { Conversation } from '../bus/parties.js';
import type { Clock } from '../clock.js';
import { errorText } from '../errors.js';
import type { Logger } from '../log.js';
import type { Mirror, PurgedRow } from '../mirror/rows.js';
import type { Checkpointer } from './checkpointer.js';
import type { Leftovers, Present, PurgedTask } from './leftovers.js';
import type { LiveTask } from './live-task.js';
import type { PurgedEntry, PurgedEvent, TaskRecord } from './records.js';
import type { ScopeStores } from './scope-stores.js';
import { blobsOf } from './task-blobs.js';
import type { TaskMemory } from './task-memory.js';

export interface TaskPurgeDeps {
  clock: Clock;
  log: Logger;
  mirror: Mirror;
  stores: ScopeStores;
  memory: TaskMemory;
  checkpointer: Checkpointer;
  leftovers: Leftovers;
  load(taskId: string): LiveTask | undefined;
  /** True while an executor keeps that conversation's session open. */
  isOpen(conversation: Conversation): boolean;
}

/** A committed purge of which something is still to be done. */
interface Unfinished extends PurgedTask {
  /** In memory until the file is gone, so that nobody reads that once more. */
  live: LiveTask | undefined;
  seq: number;
  row: PurgedRow;
}

export class TaskPurge {
  private unfinished: Unfinished[] = [];

  constructor(private readonly deps: TaskPurgeDeps) {}

  /**
   * Purges those of the tasks that have ended, that nobody reads at this moment, and of which `mayGo` says so. Returns
   * which ones went. Whatever can't be removed yet is tried again by `finish`.
   */
  async purge(taskIds: readonly string[], mayGo: (record: TaskRecord) => boolean): Promise<string[]> {
    // No row of these tasks may be on its way to the mirror when they leave it.
    this.deps.checkpointer.syncMirror();
    const commits = taskIds.flatMap((taskId) => {
      const live = this.deps.load(taskId);
      const record = live?.ended && live.idle ? live.committed : undefined;
      return live && record && mayGo(record) ? [this.commit(live, record)] : [];
    });
    const committed = (await Promise.all(commits)).flatMap((purged) => purged ?? []);
    if (committed.length === 0) return [];
    const { failpoints } = this.deps.stores;
    failpoints.hit('purge.committed');
    this.unfinished.push(...committed);
    this.remove(committed);
    return committed.map(({ taskId }) => taskId);
  }

  /** Tries again what had to wait, a few at a time. Returns at the end of each few. */
  *finish(atOnce: number): Generator<void> {
    const waiting = [...this.unfinished];
    for (let i = 0; i < waiting.length; i += atOnce) {
      this.remove(waiting.slice(i, i + atOnce));
      yield;
    }
  }

  private commit(live: LiveTask, { task, envelope }: TaskRecord): Promise<Unfinished | undefined> {
    const { taskId } = live;
    const { agent, caller, messages, session } = envelope;
    const { id, scope } = caller;
    const used = new Set([...blobsOf(task), ...this.deps.mirror.blobsOf(scope, taskId)]);
    const event: PurgedEvent = {
      type: 'purged',
      caller: id,
      agent,
      contextId: task.contextId,
      ...(session && { session }),
      blobs: [...used],
    };
    const at = Math.max(this.deps.clock.now(), envelope.updatedAt);
    const entry: PurgedEntry = { taskId, seq: envelope.seq + 1, at, event };
    return new Promise((resolve) => {
      this.deps.stores.of(scope).journal.append(entry, (error) => {
        if (error) {
          // The journal has told why; the task is where it was.
          live.head = live.committed;
          return resolve(undefined);
        }
        live.vanish();
        resolve({ taskId, scope, event, live, seq: entry.seq, row: { taskId, scope, caller: id, messages } });
      });
      // Nothing more is taken for it: what comes between here and the commit would come after its end.
      live.head = undefined;
    });
  }

  /** Rows first: what a list shows can then be had. The journal lets go last. */
  private remove(tasks: readonly Unfinished[]): void {
    const { mirror, stores, log, checkpointer } = this.deps;
    const done = new Set<Unfinished>();
    try {
      checkpointer.syncMirror();
      mirror.purge(tasks.map(({ row }) => row));
      stores.failpoints.hit('purge.after-row');
      const present = this.present();
      for (const task of tasks) if (this.removeFiles(task, present)) done.add(task);
    } catch (error) {
      log.error({ reason: errorText(error) }, 'rows of purged tasks could not be removed yet');
    }
    if (done.size > 0) this.unfinished = this.unfinished.filter((task) => !done.has(task));
  }

  private removeFiles(task: Unfinished, present: Present): boolean {
    const { stores, memory, leftovers, log } = this.deps;
    const { taskId, scope, seq } = task;
    const { checkpoints, journal } = stores.of(scope);
    // The owner may have taken the scope away, and everything of the task with it.
    const gone = stores.gone(scope);
    try {
      if (!gone) checkpoints.remove(taskId);
      if (task.live) memory.drop(task.live);
      task.live = undefined;
      if (!gone && !leftovers.clear(task, present)) return false;
    } catch (error) {
      log.error({ cid: taskId, reason: errorText(error) }, 'files of a purged task could not be removed yet');
      return false;
    }
    journal.checkpointed(taskId, seq);
    return true;
  }

  private present(): Present {
    const records: TaskRecord[] = [];
    for (const { head, committed } of this.deps.memory.all()) if (head && head !== committed) records.push(head);
    return { records, isOpen: (conversation) => this.deps.isOpen(conversation) };
  }
}
