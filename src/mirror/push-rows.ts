// What the mirror knows about webhooks: which are owed something, and when each is tried next.
import type { TaskState } from '../a2a-model.js';

/** A webhook of a task as far as the schedule needs it. Webhooks that are owed nothing and have no past are left out. */
export interface WebhookRow {
  configId: string;
  /** Host and port of its URL. */
  host: string;
  /** When it was registered, or replaced the one of its id. */
  registeredAt: number;
  /** The first change that it is to be told of, and when that happened; absent when it is owed nothing now. */
  owed?: { seq: number; at: number };
  disabled: boolean;
  /** How many dead letters it has, and when the latest was given up. */
  dead: number;
  deadAt?: number;
}

/** One caller's webhooks on one host. */
export interface PushLane {
  caller: string;
  host: string;
}

export interface ScheduledPush extends PushLane {
  taskId: string;
  configId: string;
  registeredAt: number;
  seq: number;
  /** Failed tries of this change so far. */
  attempts: number;
  /** Milliseconds since the epoch. */
  nextAt: number;
}

export type PushState = 'pending' | 'retrying' | 'disabled' | 'dead';

export interface PushQuery {
  caller?: string;
  config?: string;
  /** `pending`: to be tried for the first time; `retrying`: has failed; `dead`: has dead letters. */
  state?: PushState;
  /** 1..100. */
  pageSize: number;
  /** `next` of the previous page. */
  after?: number;
}

export interface PushPage {
  rows: { taskId: string; configId: string }[];
  next?: number;
}

export interface PushTry {
  taskId: string;
  configId: string;
  seq: number;
  state: TaskState;
  /** From 1. */
  attempt: number;
  /** When it began, and how long it took, in milliseconds. */
  at: number;
  durationMs: number;
  status?: number;
  /** Why it failed; absent when it did not. */
  reason?: string;
}

/** The schedule of webhooks in the mirror; its rows come and go with those of their tasks. */
export interface PushTable {
  /** The next lane in a fixed order that has something scheduled, and when its first is due. */
  nextLane(after: PushLane | undefined): (PushLane & { nextAt: number }) | undefined;
  /** What is due in a lane, the longest due first. */
  due(lane: PushLane, now: number, limit: number): ScheduledPush[];
  /** The time of the first try that lies after `now`. */
  nextAfter(now: number): number | undefined;
  find(taskId: string, configId: string): ScheduledPush | undefined;
  /** Sets tries and time of what is scheduled; nothing happens when the webhook is owed another change by now. */
  postpone(push: Pick<ScheduledPush, 'taskId' | 'configId' | 'seq' | 'attempts' | 'nextAt'>): void;
  /** Webhooks that are owed something, are disabled or have dead letters; newest first. */
  list(query: PushQuery): PushPage;
  /** Webhooks with dead letters given up since then, the longest dead first. */
  deadSince(since: number, limit: number): { taskId: string; configId: string }[];
  /** Remembers tries; the oldest are forgotten. */
  addTries(tries: readonly PushTry[]): void;
  /** The latest tries of a webhook, newest first. */
  tries(taskId: string, configId: string, limit: number): PushTry[];
}
