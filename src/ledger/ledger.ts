// The ledger: the one writer of task state. An event is folded, appended to the journal, and only when the commit is
// there shown to callers, followers and the bus.
import { isTerminal } from '../a2a-model.js';
import type { BusHandle } from '../bus/bus.js';
import type { CallerRef, InputRequest, PromptProgress, PromptResponse } from '../bus/topics.js';
import type { Clock } from '../clock.js';
import { AppError, errorText } from '../errors.js';
import type { Logger } from '../log.js';
import type { KnownMessage, Mirror, TaskQuery } from '../mirror/rows.js';
import { isTaskId } from '../workspace/names.js';
import { Checkpointer } from './checkpointer.js';
import type { Continuation, Follower, Ledger, NewTask, TaskList } from './ledger-port.js';
import { LiveTask } from './live-task.js';
import { messageHash } from './message-hash.js';
import type { JournalEntry, TaskEvent, TaskRecord } from './records.js';
import type { ScopeStores } from './scope-stores.js';
import { TaskCounts } from './task-counts.js';
import { reduce, refusalOf } from './task-reducer.js';

/** The ledger's place on the bus. */
export const LEDGER_DECLARATION = {
  name: 'ledger',
  consumes: ['agent.prompt.progress', 'agent.prompt.input.request', 'agent.prompt.response', 'agent.prompt.cancel'],
  observes: [],
  produces: ['task.updated'],
} as const;

export type LedgerBus = BusHandle<(typeof LEDGER_DECLARATION)['consumes'][number], 'task.updated'>;

/** Finished tasks stay in memory this long for followers that come back, and never more of them than this. */
const KEEP_MS = 60_000;
const KEEP_TASKS = 1_000;
/** A resend of a message is recognised for this long. */
const DUPLICATE_MS = 24 * 3_600_000;
/** How often a damaged ledger tries whether it can write again. */
const REPAIR_MS = 1_000;

export interface LedgerDeps {
  bus: LedgerBus;
  clock: Clock;
  log: Logger;
  mirror: Mirror;
  stores: ScopeStores;
  boot: string;
}

export class FileLedger implements Ledger {
  healthy = true;
  /** Events that came too late or did not fit their task. */
  droppedEvents = 0;

  private readonly tasks = new Map<string, LiveTask>();
  /** Tasks that may leave memory, oldest first, with the time from which they may. */
  private readonly leaving = new Map<string, number>();
  private readonly counts: TaskCounts;
  private readonly checkpointer: Checkpointer;
  private repairing = false;
  private stopped = false;

  constructor(private readonly deps: LedgerDeps) {
    this.counts = new TaskCounts(deps.mirror.live());
    this.checkpointer = new Checkpointer({ ...deps, onSaved: (live) => this.maybeLeave(live) });
    this.listen(deps.bus);
  }

  get boot(): string {
    return this.deps.boot;
  }

  async create(task: NewTask): Promise<TaskRecord> {
    const { taskId, rejected, ...rest } = task;
    const live = new LiveTask(taskId);
    this.tasks.set(taskId, live);
    const created = this.append(live, { type: 'created', ...rest, hash: messageHash(task.message) });
    if (rejected === undefined) return created;
    const ended = this.append(live, { type: 'turn-ended', turn: 1, state: 'TASK_STATE_REJECTED', error: rejected });
    return (await Promise.all([created, ended]))[1];
  }

  async resume(input: Continuation): Promise<TaskRecord> {
    const live = this.mustLoad(input.taskId);
    const { requestId, step } = input;
    const { turn } = (live.head as TaskRecord).envelope;
    if ('decision' in step) return this.mustAppend(live, { type: 'decision', turn: turn + 1, requestId, ...step });
    const { message, start } = step;
    const hash = messageHash(message);
    return this.mustAppend(live, { type: 'message', turn: start ? turn + 1 : turn, message, hash, requestId, start });
  }

  startTurn(taskId: string): Promise<TaskRecord> {
    const live = this.mustLoad(taskId);
    return this.mustAppend(live, { type: 'turn-started', turn: (live.head as TaskRecord).envelope.turn });
  }

  async cancel(taskId: string, by: string, reason?: string): Promise<TaskRecord> {
    const live = this.mustLoad(taskId);
    if (refusalOf(live.head, { type: 'canceled', by }) === undefined) {
      return this.append(live, { type: 'canceled', by, ...(reason !== undefined && { reason }) });
    }
    // Already ended, though perhaps not committed yet.
    if (!live.ended) await this.deps.stores.of(this.scopeOf(live)).journal.flush();
    return live.committed as TaskRecord;
  }

  get(taskId: string): TaskRecord | undefined {
    const live = this.tasks.get(taskId);
    return live ? live.committed : this.read(taskId);
  }

  list(query: TaskQuery): TaskList {
    this.checkpointer.syncMirror();
    const page = this.deps.mirror.list(query);
    const tasks = page.rows.map((row) => ({
      record: { taskId: row.taskId, caller: row.caller, agent: row.agent, scope: row.scope },
      task: JSON.parse(row.head) as TaskRecord['task'],
    }));
    return { tasks, total: page.total, ...(page.next && { next: page.next }) };
  }

  findMessage(caller: CallerRef, messageId: string): KnownMessage | undefined {
    const known =
      this.checkpointer.pendingMessage(caller.id, messageId) ?? this.deps.mirror.findMessage(caller.id, messageId);
    return known && this.deps.clock.now() - known.at < DUPLICATE_MS ? known : undefined;
  }

  liveTasks(caller: CallerRef): { ofCaller: number; ofScope: number } {
    return this.counts.of(caller);
  }

  follow(taskId: string, afterSeq?: number): Follower & { replayed: boolean } {
    const live = this.mustLoad(taskId);
    if (!live.committed) throw new AppError('task-not-found', `Task ${taskId} does not exist.`);
    return live.follow(afterSeq);
  }

  /** Ids of tasks that were accepted but never started, oldest first: for the dispatcher after a restart. */
  queued(): string[] {
    return this.deps.mirror
      .live()
      .filter((row) => row.state === 'TASK_STATE_SUBMITTED')
      .map((row) => row.taskId);
  }

  /** Ends what a restart interrupted: tasks whose turn was running when the last process stopped. */
  async reconcile(): Promise<number> {
    const interrupted = this.deps.mirror.live().filter((row) => row.state === 'TASK_STATE_WORKING');
    await Promise.all(
      interrupted.map(async ({ taskId }) => {
        const live = this.load(taskId);
        if (live?.head) await this.append(live, interruption(live.head));
      }),
    );
    return interrupted.length;
  }

  flush(): Promise<void> {
    return this.checkpointer.flush();
  }

  /** Commits and checkpoints everything, then closes the files. Nothing is accepted afterwards. */
  async close(): Promise<void> {
    await this.deps.stores.flush();
    this.stopped = true;
    await this.checkpointer.close();
    await this.deps.stores.close();
  }

  private listen(bus: LedgerBus): void {
    bus.subscribe('agent.prompt.progress', (progress) => this.take(progress.cid, eventOfProgress(progress)));
    bus.subscribe('agent.prompt.input.request', (request) => this.take(request.cid, eventOfQuestion(request)));
    bus.subscribe('agent.prompt.response', (response) => {
      if (!response.refusal && response.duplicateOf === undefined) this.take(response.cid, eventOfResponse(response));
    });
    bus.subscribe('agent.prompt.cancel', async ({ cid, by, reason }) => {
      if (this.load(cid)) await this.cancel(cid, by, reason).catch((error: unknown) => this.complain(cid, error));
    });
  }

  /** An event from the bus: taken if it fits its task, else dropped and counted. */
  private take(taskId: string, event: TaskEvent | undefined): void {
    if (!event) return;
    const live = this.load(taskId);
    if (!live || live.damaged || refusalOf(live.head, event) !== undefined) {
      this.droppedEvents++;
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
    live.head = record;
    this.counts.moved(before, record);
    this.checkpointer.expect(record, event);
    return new Promise((resolve, reject) => {
      this.deps.stores.of(record.envelope.caller.scope).journal.append(entry, (error) => {
        if (error) return reject(this.rollBack(live, error));
        live.commit(record, updates, lines);
        for (const update of updates) {
          this.deps.bus.publish('task.updated', { taskId: live.taskId, cid: live.taskId, ...update });
        }
        this.recovered();
        this.checkpointer.dirty(live);
        resolve(record);
      });
    });
  }

  /** Memory goes back to what the files hold. The caller hears that nothing was accepted. */
  private rollBack(live: LiveTask, cause: Error): AppError {
    const failure = new AppError(
      'storage-failed',
      'The switchboard could not store this; nothing was accepted.',
      {},
      { cause },
    );
    if (live.head !== live.committed) {
      this.counts.moved(live.head, live.committed);
      this.checkpointer.forget(live);
      live.rollBack(failure);
    }
    if (!live.committed) this.tasks.delete(live.taskId);
    else if (live.committed.envelope.turnOpen) live.damaged = true;
    this.healthy = false;
    this.repair();
    return failure;
  }

  /** Tries until a write succeeds; then the turns that lost events are ended, since they can't be told in full. */
  private repair(): void {
    if (this.repairing) return;
    this.repairing = true;
    this.deps.clock.after(REPAIR_MS, () => {
      this.repairing = false;
      if (this.stopped) return;
      const damaged = [...this.tasks.values()].filter((live) => live.damaged && live.head);
      for (const live of damaged) {
        live.damaged = false;
        this.append(live, storageFailure(live.head as TaskRecord)).catch(() => undefined);
      }
      if (damaged.length === 0) {
        try {
          this.deps.stores.probe();
          this.recovered();
        } catch (error) {
          this.complain(undefined, error);
          this.repair();
        }
      }
    });
  }

  private recovered(): void {
    if (this.healthy) return;
    this.healthy = true;
    this.deps.log.info('writing works again');
  }

  private load(taskId: string): LiveTask | undefined {
    const known = this.tasks.get(taskId);
    if (known) return known;
    const record = this.read(taskId);
    if (!record) return undefined;
    const live = new LiveTask(taskId, record);
    this.tasks.set(taskId, live);
    this.maybeLeave(live);
    return live;
  }

  private mustLoad(taskId: string): LiveTask {
    const live = this.load(taskId);
    if (!live?.head) throw new AppError('task-not-found', `Task ${taskId} does not exist.`);
    return live;
  }

  private read(taskId: string): TaskRecord | undefined {
    if (!isTaskId(taskId)) return undefined;
    const scope = this.deps.mirror.scopeOf(taskId);
    if (scope === undefined) return undefined;
    const record = this.deps.stores.of(scope).checkpoints.read(taskId);
    // A file that names another scope was put there by hand: nobody gains another's tasks that way.
    return record?.envelope.caller.scope === scope ? { task: record.task, envelope: record.envelope } : undefined;
  }

  private scopeOf(live: LiveTask): string {
    return (live.head as TaskRecord).envelope.caller.scope;
  }

  /** A saved task that nothing is running for leaves memory after a while; see KEEP_MS. */
  private maybeLeave(live: LiveTask): void {
    if (!live.committed?.envelope.turnOpen) {
      this.leaving.delete(live.taskId);
      this.leaving.set(live.taskId, this.deps.clock.now() + KEEP_MS);
    }
    for (const [taskId, from] of this.leaving) {
      if (this.leaving.size <= KEEP_TASKS && from > this.deps.clock.now()) break;
      this.leaving.delete(taskId);
      const candidate = this.tasks.get(taskId);
      if (!candidate) continue;
      const saved = candidate.head === candidate.committed && candidate.checkpointed === candidate.head?.envelope.seq;
      if (saved && !candidate.followed && !candidate.head?.envelope.turnOpen) this.tasks.delete(taskId);
    }
  }

  private complain(cid: string | undefined, error: unknown): void {
    this.deps.log.error(
      { cid, reason: errorText(error), cause: error instanceof Error ? error.cause : undefined },
      'storing failed',
    );
  }
}

function interruption({ envelope }: TaskRecord): TaskEvent {
  const error = { code: 'interrupted', text: 'The server restarted while this task was running.' };
  return { type: 'turn-ended', turn: envelope.turn, state: 'TASK_STATE_FAILED', error };
}

function storageFailure({ envelope }: TaskRecord): TaskEvent {
  const error = { code: 'storage-failed', text: 'The run could not be stored.' };
  return { type: 'turn-ended', turn: envelope.turn, state: 'TASK_STATE_FAILED', error };
}

function eventOfProgress(progress: PromptProgress): TaskEvent | undefined {
  const { turn } = progress;
  switch (progress.kind) {
    case 'text':
      return { type: 'text', turn, pieces: progress.pieces, end: progress.end };
    case 'status':
      return { type: 'status', turn, text: progress.text };
    case 'percent':
      return { type: 'status', turn, text: `${progress.value} %` };
    case 'tool-started':
      return { type: 'tool', turn, tool: progress.tool, phase: 'started' };
    case 'tool-finished':
      return { type: 'tool', turn, tool: progress.tool, phase: 'finished', ok: progress.ok };
    case 'artifact':
      return {
        type: 'artifact',
        turn,
        artifact: progress.artifact,
        append: progress.append,
        lastChunk: progress.lastChunk,
      };
    default:
      return progress satisfies never;
  }
}

function eventOfQuestion({ turn, requestId, question, from, schema }: InputRequest): TaskEvent {
  return {
    type: 'question',
    turn,
    question: { requestId, text: question, from, ...(schema !== undefined && { schema }) },
  };
}

function eventOfResponse({ turn, state, parts, error, usage }: PromptResponse): TaskEvent | undefined {
  // The host may also end a turn as canceled; the ledger learned of the cancel itself.
  if (state === undefined || !isTerminal(state) || state === 'TASK_STATE_CANCELED') return undefined;
  return { type: 'turn-ended', turn, state, ...(parts && { parts }), ...(error && { error }), ...(usage && { usage }) };
}
