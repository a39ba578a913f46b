// The rows the mirror keeps: an index over the task files that can be rebuilt from them at any time.
import type { PushTable, WebhookRow } from './push-rows.js';

export interface TaskRow {
  taskId: string;
  /** Workspace whose folder holds the task, or `operator`. */
  scope: string;
  /** Full caller id. */
  caller: string;
  agent: string;
  contextId: string;
  /** Internal: its agent answers with one message. Absent: false. */
  direct?: boolean;
  /** Wire name, e.g. `TASK_STATE_WORKING`. */
  state: string;
  /** Time of the last change of state, milliseconds since the epoch. */
  statusAt: number;
  createdAt: number;
  seq: number;
  /** The task as JSON without artifacts and history: enough for a list. */
  head: string;
  /** Messages the task accepted, for the duplicate index. */
  messages: { id: string; hash: string; at: number; by?: string }[];
  /** Its webhooks that are owed something, are disabled or have dead letters. */
  webhooks?: readonly WebhookRow[];
  /** Names of the stored files it uses; absent when there are none. */
  blobs?: readonly string[];
  /** Its work at a remote agent, while that is followed. */
  watch?: Omit<WatchRow, 'taskId' | 'scope'>;
  /** Whoever asked for it has, or may have, something to be told. */
  owesReply?: boolean;
}

export interface WatchRow {
  watchId: string;
  taskId: string;
  scope: string;
  /** The remote agent. */
  agent: string;
  state: 'sending' | 'following';
  remoteTaskId?: string;
  /** Milliseconds since the epoch. */
  since: number;
}

export interface TaskQuery {
  caller?: string;
  agent?: string;
  contextId?: string;
  state?: string;
  /** Only tasks that are internal, or only those that are not; both when absent. */
  direct?: boolean;
  /** Inclusive, milliseconds since the epoch. */
  statusSince?: number;
  /** 1..100. */
  pageSize: number;
  /** The last row of the previous page. */
  after?: { statusAt: number; taskId: string };
}

export interface TaskPage {
  rows: Omit<TaskRow, 'messages' | 'watch' | 'owesReply' | 'webhooks'>[];
  /** All matches, before paging. */
  total: number;
  /** Where the next page starts; absent on the last page. */
  next?: { statusAt: number; taskId: string };
}

export interface KnownMessage {
  taskId: string;
  hash: string;
  at: number;
}

/** One key's use by its caller. Telemetry: bounded, and lost with the mirror. */
export interface KeyUse {
  /** The first 16 hex digits of the key's SHA-256. */
  id: string;
  /** Full caller id. */
  caller: string;
  /** Milliseconds since the epoch. */
  lastUsedAt: number;
  requests: number;
}

export interface KeyUseStore {
  /** The longest unused first. */
  load(): KeyUse[];
  /** Inserts or replaces, in one transaction. */
  save(uses: readonly KeyUse[]): void;
}

/** What leaves the index with a task. */
export type PurgedRow = Pick<TaskRow, 'taskId' | 'scope' | 'caller' | 'messages'>;

export interface OldestQuery {
  scope: string;
  states: readonly string[];
  /** The last one of the previous page. */
  after?: AgedTask;
  limit: number;
}

export interface AgedTask {
  taskId: string;
  /** Since when it is in its state, milliseconds since the epoch. */
  statusAt: number;
}

/** The index, as the ledger uses it. One implementation on SQLite; all calls are synchronous. */
export interface Mirror {
  readonly keyUses: KeyUseStore;
  /** Inserts or replaces rows in one transaction. */
  upsert(rows: readonly TaskRow[]): void;
  remove(taskIds: readonly string[]): void;
  /** Takes out all that is known of these tasks of their scopes, in one transaction. */
  purge(rows: readonly PurgedRow[]): void;
  /** Tasks of a scope in any of these states, the longest in its state first, ties by task id. */
  oldest(query: OldestQuery): AgedTask[];
  /** How many tasks of a scope are in any of these states. */
  count(scope: string, states: readonly string[]): number;
  /** A task (by its id) or a transcript (`<agent>/<session file>`) uses these stored files of the scope, among others. */
  holdBlobs(scope: string, holder: string, blobs: readonly string[]): void;
  blobsOf(scope: string, holder: string): string[];
  dropBlobs(scope: string, holder: string): void;
  isBlobUsed(scope: string, blob: string): boolean;
  /** Newest change of state first, ties by task id descending. */
  list(query: TaskQuery): TaskPage;
  scopeOf(taskId: string): string | undefined;
  findMessage(caller: string, messageId: string): KnownMessage | undefined;
  /** Oldest first. */
  watches(): WatchRow[];
  findWatch(watchId: string): WatchRow | undefined;
  /** Ids of tasks that owe a reply. */
  openReplies(): string[];
  /** Ids, scopes, callers and agents of all tasks in a non-terminal state. */
  live(): { taskId: string; scope: string; caller: string; agent: string; state: string }[];
  /** How many tasks a scope has, in whatever state. Cheap: no task is looked at. */
  countOf(scope: string): number;
  /** How many tasks there are per state. */
  countsByState(): { state: string; count: number }[];
  /** Ids of all tasks of a scope, for comparing with its files. */
  ids(scope: string): string[];
  /** All scopes that have tasks. */
  scopes(): string[];
  /** What `stamp` was told last about a scope. */
  stampOf(scope: string): string | undefined;
  /** Remembers what the scope's folder of task files looks like while rows and files agree. */
  stamp(scope: string, stamp: string): void;
  /** Drops all rows, before a rebuild. */
  clear(): void;
  /** True when the file was newly made or could not be used: everything must be read from the files. */
  readonly fresh: boolean;
  readonly pushes: PushTable;
  close(): void;
}
