// The ledger as the rest of the product uses it. What it shows is committed; what it is told is shown only after.
import type { Message, PushConfig, TaskState } from '../a2a-model.js';
import type { CallerRef, Conversation } from '../bus/topics.js';
import type { PushTable, PushTry, ScheduledPush } from '../mirror/push-rows.js';
import type { KnownMessage, TaskQuery, WatchRow } from '../mirror/rows.js';
import type {
  CreatedEvent,
  DeadLetter,
  Kept,
  PushRegistration,
  RemoteRef,
  TaskRecord,
  Update,
  Watch,
} from './records.js';

export interface NewTask extends Omit<CreatedEvent, 'type' | 'hash'> {
  taskId: string;
}

export interface Continuation {
  taskId: string;
  requestId: string;
  /**
   * The caller's next message, which starts a turn unless it only adds to a task that waits for the operator; or the
   * operator's decision, which starts one unless it declines what an agent asked that is gone: then it ends the task.
   */
  step:
    | { message: Message; start: boolean; by?: string; pushConfig?: PushConfig }
    | { decision: 'approve' | 'decline' }
    | { decision: 'decline'; gone: true };
}

/** A task as one list row: no artifacts, no history. */
export interface TaskHead {
  record: { taskId: string; caller: string; agent: string; scope: string };
  task: Omit<TaskRecord['task'], 'artifacts' | 'history'>;
}

export interface TaskList {
  tasks: TaskHead[];
  total: number;
  next?: { statusAt: number; taskId: string };
}

/** Reads one task's updates, in order, without gaps. */
export interface Follower {
  /** The task as committed when following began, before any update that `next` will return. */
  readonly snapshot: TaskRecord;
  /**
   * The next update, or undefined at the end: after the terminal update was returned, after `close`, or when the reader
   * fell so far behind that updates were dropped (`lagged` is then true).
   */
  next(): Promise<Update | undefined>;
  readonly lagged: boolean;
  /** What `next` throws once the task could not be stored: nothing more comes. That was logged where it happened. */
  readonly failure: Error | undefined;
  close(): void;
}

/** The webhooks of tasks, whatever their state. All resolve after the commit, and throw `task-not-found`. */
export interface PushConfigs {
  /**
   * Adds a webhook, or replaces the one of its id; what was owed to that one is owed to it. Throws `invalid-params` when
   * the task has as many as it may have.
   */
  set(taskId: string, config: PushConfig): Promise<PushRegistration>;
  /** Nothing happens when there is none of that id. */
  delete(taskId: string, configId: string): Promise<void>;
  /** The webhook has been told of everything up to `seq`. Nothing happens when it is gone. */
  acknowledge(taskId: string, configId: string, seq: number): Promise<void>;
  /** No try to tell the webhook of a change that it is owed has worked. Nothing happens when it is not owed. */
  giveUp(taskId: string, configId: string, failure: Omit<DeadLetter, 'at' | 'again'>): Promise<void>;
  /** Its dead letters, or those of the given changes, are owed again. Resolves with how many. */
  redrive(taskId: string, configId: string, which?: { seq?: number; since?: number }): Promise<number>;
  /** Nothing is sent to it from now on. Nothing happens when it is disabled or gone. */
  disable(taskId: string, configId: string, by: 'gone' | 'operator'): Promise<void>;
  enable(taskId: string, configId: string): Promise<void>;
  /** Calls back after the commit of whatever may have made something owed without a change of the task's state. */
  onOwed(listener: (taskId: string) => void): void;
}

/**
 * When each webhook is tried next, across all tasks. It holds everything that was committed before the call; what it
 * loses costs no delivery. Methods throw AppError `storage-failed`.
 */
export interface PushSchedule extends Pick<
  PushTable,
  'nextLane' | 'due' | 'nextAfter' | 'postpone' | 'list' | 'deadSince' | 'tries'
> {
  /** As far as it is written down: a webhook of a moment ago may be missing. */
  find(taskId: string, configId: string): ScheduledPush | undefined;
  /** Remembers a try for `tries`, sooner or later; a crash may lose it. */
  record(attempt: PushTry): void;
}

export interface WatchChange {
  watch?: Partial<Omit<Watch, 'id' | 'agent'>>;
  remote?: RemoteRef;
}

/** What tasks know of their work at remote agents. */
export interface Watches {
  /**
   * The open turn's work goes elsewhere from now on; resolves after the commit. Throws `task-not-found`, and
   * `unsupported-operation` when that turn is not open.
   */
  begin(taskId: string, turn: number, watch: Watch, remote?: RemoteRef): Promise<TaskRecord>;
  /** Stores what is new; members of the watch that are not named stay as they are. Resolves and throws like `begin`. */
  update(taskId: string, turn: number, change: WatchChange): Promise<TaskRecord>;
  /** All that are followed, or should be, oldest first. */
  all(): WatchRow[];
  /** As far as it is written down: a watch of a moment ago may be missing. */
  find(watchId: string): WatchRow | undefined;
}

/** Tasks that a conversation asked for, and is told of. */
export interface Replies {
  /** It was told everything up to `upTo`. Resolves after the commit; nothing happens when it was told before. */
  acknowledge(taskId: string, upTo: number): Promise<void>;
  /** Those that have something to tell, or may have later. */
  open(): string[];
}

/** How much there is. No task is looked at for it; the latest change may not be counted yet. */
export interface TaskCensus {
  /** Tasks that a scope keeps, ended ones included. */
  stored(scope: string): number;
  /** True when a scope keeps `limit` bytes or more, as far as is known. */
  keeps(scope: string, limit: number): boolean;
  /** Tasks that are not at their end, for every such state. */
  live(): { state: TaskState; count: number }[];
  /** Tasks whose checkpoint (`files`) or row in the index (`rows`) is behind the journal. */
  readonly behind: { files: number; rows: number };
}

export interface Ledger {
  readonly replies: Replies;
  readonly watches: Watches;
  readonly pushConfigs: PushConfigs;
  readonly pushSchedule: PushSchedule;
  readonly census: TaskCensus;
  /** Unique to this process; the first half of SSE event ids `<boot>.<seq>`. */
  readonly boot: string;
  /** Creates a task. Resolves with the record after the commit. Throws AppError `storage-failed`. */
  create(task: NewTask): Promise<TaskRecord>;
  /** Adds a message or a decision to a task, and starts the next turn. Throws like `create`. */
  resume(input: Continuation): Promise<TaskRecord>;
  /**
   * Keeps a result with the task, for a later turn of it; resolves after the commit. Throws `unsupported-operation` when
   * that turn is not open.
   */
  keep(taskId: string, turn: number, kept: Kept): Promise<void>;
  /** Starts the first turn of a task that waited in a queue. */
  startTurn(taskId: string): Promise<TaskRecord>;
  /** Makes a task canceled unless it is terminal. Resolves with the committed record either way. */
  cancel(taskId: string, by: string, reason?: string): Promise<TaskRecord>;
  /** The committed record once everything on its way for this task is committed or failed. */
  committed(taskId: string): Promise<TaskRecord | undefined>;
  /** True while this very turn is open, a cancel on its way to the journal included. */
  isRunning(taskId: string, turn: number): boolean;
  /** The committed record, from memory or its file. Undefined for an unknown or malformed id. */
  get(taskId: string): TaskRecord | undefined;
  list(query: TaskQuery): TaskList;
  /** The task that already answers this message, if it was accepted within the last day. */
  findMessage(caller: CallerRef, messageId: string): KnownMessage | undefined;
  /** How many non-terminal tasks: of a caller, and of a scope. O(1). */
  liveTasks(caller: CallerRef): { ofCaller: number; ofScope: number };
  /**
   * Follows a task: from now on, or from just after `afterSeq` when the ring still holds it (`replayed` tells). Throws
   * AppError `task-not-found`.
   */
  follow(taskId: string, afterSeq?: number): Follower & { replayed: boolean };
  /** Ids of tasks that were accepted but never started, oldest first. */
  queued(): string[];
  /** Writes what the transcript of this session still lacks. */
  saveSession(conversation: Conversation): void;
  /** Writes all checkpoints and transcripts now. */
  flush(): Promise<void>;
  /** False after a failed write until one succeeds. */
  readonly healthy: boolean;
}
