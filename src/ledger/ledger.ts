// The ledger: the one writer of task state. An event is folded, appended to the journal, and only when the commit is
// there shown to callers, followers and the bus.
import { isTerminal } from '../a2a-model.js';
import type { CallerRef, Conversation, PromptCancel } from '../bus/topics.js';
import { AppError, errorText } from '../errors.js';
import type { KnownMessage, TaskQuery } from '../mirror/rows.js';
import { takeFromBus, type LedgerBus } from './bus-events.js';
import { interruption, isCancelEcho, LOST_STEP, NOT_STORED, storageFailure } from './endings.js';
import { eventOfContinuation } from './continuation.js';
import { Census } from './census.js';
import { Checkpointer } from './checkpointer.js';
import type { Continuation, Follower, Ledger, NewTask, TaskList } from './ledger-port.js';
import { LiveTask } from './live-task.js';
import { messageHash } from './message-hash.js';
import { statusSince, type JournalEntry, type Kept, type TaskEvent, type TaskRecord } from './records.js';
import { StorageHealth } from './storage-health.js';
import { TaskCounts } from './task-counts.js';
import { stampAligned, TaskFiles } from './task-files.js';
import { TaskIndex } from './task-index.js';
import { TaskMemory } from './task-memory.js';
import { PushTimetable } from './push-timetable.js';
import { TaskPurge, type TaskPurgeDeps } from './task-purge.js';
import { mustHaveRoom, TaskPushConfigs } from './task-push-configs.js';
import { TaskReplies } from './task-replies.js';
import { TaskWatches } from './task-watches.js';
import { reduce, refusalOf } from './task-reducer.js';

interface LedgerDeps extends Omit<TaskPurgeDeps, 'memory' | 'checkpointer' | 'load'> {
  bus: LedgerBus;
  boot: string;
}

export class FileLedger implements Ledger {
  /** Events that came too late or did not fit their task. */
  droppedEvents = 0;
  readonly pushConfigs: TaskPushConfigs;
  readonly boot: string;
  readonly watches: TaskWatches;
  readonly replies: TaskReplies;
  readonly census: Census;
  readonly purge: TaskPurge;
  readonly pushSchedule: PushTimetable;
  private readonly memory: TaskMemory;
  private readonly counts: TaskCounts;
  private readonly checkpointer: Checkpointer;
  private readonly files: TaskFiles;
  private readonly index: TaskIndex;
  private readonly health: StorageHealth;
  private stopped = false;

  constructor(private readonly deps: LedgerDeps) {
    this.boot = deps.boot;
    this.counts = new TaskCounts(deps.mirror.live());
    this.memory = new TaskMemory(deps.clock);
    this.checkpointer = new Checkpointer({
      ...deps,
      onSaved: (live) => this.memory.saved(live),
      onGone: (live) => this.forget(live),
    });
    const { memory, checkpointer } = this;
    this.pushSchedule = new PushTimetable({ ...deps, sync: () => checkpointer.syncMirror() });
    this.census = new Census(deps.mirror, checkpointer, deps.stores.use);
    this.purge = new TaskPurge({ ...deps, memory, checkpointer, load: (taskId) => this.load(taskId) });
    this.files = new TaskFiles(deps);
    this.index = new TaskIndex(deps, checkpointer);
    const ports = {
      ...deps,
      syncMirror: () => checkpointer.syncMirror(),
      load: (taskId: string) => this.mustLoad(taskId),
      append: (live: LiveTask, event: TaskEvent) => this.append(live, event),
    };
    this.pushConfigs = new TaskPushConfigs(ports);
    this.watches = new TaskWatches(ports);
    this.replies = new TaskReplies(ports);
    this.health = new StorageHealth({ ...deps, mend: () => this.endDamaged(), probe: () => deps.stores.probe() });
    takeFromBus(deps.bus, { event: (id, event) => this.take(id, event), cancel: (cancel) => this.cancelHere(cancel) });
  }

  get healthy(): boolean {
    return this.health.healthy;
  }

  async create(task: NewTask): Promise<TaskRecord> {
    const { taskId, ...rest } = task;
    const live = new LiveTask(taskId);
    this.memory.add(live);
    const created = this.append(live, { type: 'created', ...rest, hash: messageHash(task.message) });
    if (!live.head) this.memory.drop(live);
    return created;
  }

  async resume(input: Continuation): Promise<TaskRecord> {
    const live = this.mustLoad(input.taskId);
    if ('message' in input.step) mustHaveRoom(live, input.step.pushConfig);
    return this.mustAppend(live, eventOfContinuation((live.head as TaskRecord).envelope, input));
  }

  startTurn(taskId: string): Promise<TaskRecord> {
    const live = this.mustLoad(taskId);
    return this.mustAppend(live, { type: 'turn-started', turn: (live.head as TaskRecord).envelope.turn });
  }

  async keep(taskId: string, turn: number, kept: Kept): Promise<void> {
    await this.mustAppend(this.mustLoad(taskId), { type: 'kept', turn, kept });
  }

  async cancel(taskId: string, by: string, reason?: string): Promise<TaskRecord> {
    const live = this.mustLoad(taskId);
    if (refusalOf(live.head, { type: 'canceled', by }) === undefined) {
      return this.append(live, { type: 'canceled', by, ...(reason !== undefined && { reason }) });
    }
    // Already ended, though perhaps not committed yet; if that fails, it can be canceled after all.
    await this.settled(live);
    return live.ended ? (live.committed as TaskRecord) : this.cancel(taskId, by, reason);
  }

  async committed(taskId: string): Promise<TaskRecord | undefined> {
    const live = this.load(taskId);
    if (live) await this.settled(live);
    return live?.committed;
  }

  isRunning(taskId: string, turn: number): boolean {
    const head = this.load(taskId)?.head;
    if (!head || isTerminal(head.task.status.state)) return false;
    return head.envelope.turnOpen && head.envelope.turn === turn;
  }

  get(taskId: string): TaskRecord | undefined {
    const live = this.memory.get(taskId);
    return live ? live.committed : this.files.read(taskId);
  }

  list(query: TaskQuery): TaskList {
    return this.index.list(query);
  }

  findMessage(caller: CallerRef, messageId: string): KnownMessage | undefined {
    return this.index.findMessage(caller, messageId);
  }

  liveTasks(caller: CallerRef): { ofCaller: number; ofScope: number } {
    return this.counts.of(caller);
  }

  follow(taskId: string, afterSeq?: number): Follower & { replayed: boolean } {
    const live = this.mustLoad(taskId);
    if (!live.committed) throw new AppError('task-not-found', `Task ${taskId} does not exist.`);
    return live.follow(afterSeq);
  }

  queued(): string[] {
    return this.index.inState('TASK_STATE_SUBMITTED');
  }

  /** Ends what a restart interrupted: tasks whose turn was running when the last process stopped, here. */
  async reconcile(): Promise<void> {
    const known = this.index.inState('TASK_STATE_WORKING').flatMap((taskId) => this.load(taskId) ?? []);
    const interrupted = known.filter(({ head }) => !head?.envelope.watch);
    await Promise.all(interrupted.map((live) => this.mustAppend(live, interruption(live.head as TaskRecord))));
  }

  /** Ends a task that still waits for an answer as it did before `since`. False when it does not. */
  async expire(taskId: string, since: number): Promise<boolean> {
    const live = this.load(taskId);
    const waited = live?.head !== undefined && statusSince(live.head) < since;
    if (!waited || refusalOf(live.head, { type: 'expired' }) !== undefined) return false;
    await this.append(live, { type: 'expired' });
    return true;
  }

  flush(): Promise<void> {
    return this.checkpointer.flush();
  }

  saveSession(conversation: Conversation): void {
    this.checkpointer.saveSession(conversation);
  }

  /** Commits and checkpoints everything, then closes the files. Nothing is accepted afterwards. */
  async close(): Promise<void> {
    await this.deps.stores.flush();
    this.stopped = true;
    this.health.stop();
    this.pushSchedule.flush();
    for (const live of this.memory.all()) live.close();
    await this.checkpointer.close();
    await this.deps.stores.close();
    if (this.checkpointer.upToDate) stampAligned(this.deps);
  }

  /** Only the agent elsewhere can stop what it is known to work on: whoever follows that asks it. */
  private async cancelHere({ cid, by, reason }: PromptCancel): Promise<void> {
    const live = this.load(cid);
    if (!live || live.head?.envelope.watch?.state === 'following') return;
    await this.cancel(cid, by, reason).catch((error: unknown) => this.complain(cid, error));
  }

  /** An event from the bus: taken if it fits its task, else dropped and counted. */
  private take(taskId: string, event: TaskEvent): void {
    const live = this.load(taskId);
    if (!live || live.damaged || refusalOf(live.head, event) !== undefined) {
      if (!isCancelEcho(event)) this.droppedEvents++;
      return;
    }
    this.append(live, event).catch((error: unknown) => this.complain(taskId, error));
  }

  private mustAppend(live: LiveTask, event: TaskEvent): Promise<TaskRecord> {
    const refusal = refusalOf(live.head, event);
    if (refusal !== undefined) {
      return Promise.reject(new AppError('unsupported-operation', `Not possible now: ${refusal}.`));
    }
    return this.append(live, event);
  }

  /** Folds an event that fits and resolves with the record once it is committed. */
  private append(live: LiveTask, event: TaskEvent): Promise<TaskRecord> {
    if (this.stopped) return Promise.reject(new AppError('overloaded', 'The switchboard is stopping.'));
    const before = live.head;
    const at = Math.max(this.deps.clock.now(), before?.envelope.updatedAt ?? 0);
    const entry: JournalEntry = { taskId: live.taskId, seq: (before?.envelope.seq ?? 0) + 1, at, event };
    const { record, updates, lines } = reduce(before, entry);
    return new Promise((resolve, reject) => {
      // First, because it throws for what JSON can't express, and then nothing must have happened.
      this.deps.stores.of(record.envelope.caller.scope).journal.append(entry, (error) => {
        if (error) return reject(this.rollBack(live, error));
        live.commit(record, updates, lines);
        for (const update of updates) {
          this.deps.bus.publish('task.updated', { taskId: live.taskId, cid: live.taskId, ...update });
        }
        this.health.worked();
        this.checkpointer.dirty(live);
        resolve(record);
      });
      live.head = record;
      this.counts.moved(before, record);
      this.checkpointer.expect(record, event);
    });
  }

  /** Resolves when nothing of this task is on its way to the journal any more. */
  private async settled(live: LiveTask): Promise<void> {
    if (live.head && live.head !== live.committed)
      await this.deps.stores.of(live.head.envelope.caller.scope).journal.flush();
  }

  /** Memory goes back to what the files hold. The caller hears that nothing was accepted. */
  private rollBack(live: LiveTask, cause: Error): AppError {
    const failure = new AppError('storage-failed', NOT_STORED, {}, { cause });
    if (live.head !== live.committed) {
      this.counts.moved(live.head, live.committed);
      this.checkpointer.forget(live);
      live.rollBack(new AppError('storage-failed', LOST_STEP, { taskId: live.taskId }, { cause }));
    }
    if (!live.committed) this.memory.drop(live);
    else if (live.committed.envelope.turnOpen) live.damaged = true;
    this.health.failed();
    return failure;
  }

  /** Turns that lost events are ended, since they can't be told in full any more. False when there is none. */
  private endDamaged(): boolean {
    const damaged = [...this.memory.all()].filter((live) => live.damaged && live.head);
    for (const live of damaged) {
      live.damaged = false;
      // Refused when it has ended meanwhile, by a cancel perhaps: that is the end it had.
      this.mustAppend(live, storageFailure(live.head as TaskRecord)).catch(() => undefined);
    }
    return damaged.length > 0;
  }

  private load(taskId: string): LiveTask | undefined {
    const known = this.memory.get(taskId);
    if (known) return known;
    const record = this.files.read(taskId);
    if (!record) return undefined;
    const live = new LiveTask(taskId, record);
    this.memory.add(live);
    this.memory.saved(live);
    return live;
  }

  private mustLoad(taskId: string): LiveTask {
    const live = this.load(taskId);
    if (live?.head) return live;
    throw new AppError('task-not-found', `Task ${taskId} does not exist.`);
  }

  private forget(live: LiveTask): void {
    this.counts.moved(live.head, undefined);
    this.memory.drop(live);
    live.close();
  }

  private complain(cid: string | undefined, error: unknown): void {
    const cause = error instanceof Error ? error.cause : undefined;
    this.deps.log.error({ cid, reason: errorText(error), cause }, 'storing failed');
  }
}
