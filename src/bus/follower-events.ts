// What followers tell on the bus: webhooks that were sent or not, and work at remote agents that is followed.
import type { TaskState } from '../a2a-model.js';
import type { ReplyTo } from './parties.js';

/** One try to tell a webhook of a change of a task's state. */
export interface PushAttempt {
  taskId: string;
  configId: string;
  caller: string;
  /** The position of the change, and the state it led to. */
  seq: number;
  state: TaskState;
  /** From 1. */
  attempt: number;
  durationMs: number;
  /** The answer's HTTP status, if there was one. */
  status?: number;
}

export interface PushFailed extends PushAttempt {
  /** `status`, or why no answer was had. */
  reason: string;
}

/** A change that no try could tell: it stays in the task as a dead letter. */
export type PushDead = PushFailed;

/** A webhook that is sent nothing more, until somebody enables it or registers it anew. */
export interface PushDisabled {
  taskId: string;
  configId: string;
  caller: string;
  /** `gone`: it answered 410. */
  by: 'gone' | 'operator';
}

/** A task's work at a remote agent, while it is followed and when that ends. */
export interface WatchEvent {
  watchId: string;
  taskId: string;
  caller: string;
  /** The remote agent. */
  agent: string;
  remoteTaskId?: string;
  /** How it is followed now. */
  rung?: string;
}

export interface WatchSettled extends WatchEvent {
  /**
   * `result`: the remote task ended. `question`: it asks. `lost`: the peer does not know it (any more). `stopped`: the
   * agent is not configured any more, or following it failed again and again. `no-result`: it took too long. `gone`: the
   * turn here ended otherwise.
   */
  end: 'result' | 'question' | 'lost' | 'stopped' | 'no-result' | 'gone';
}

/** What became of a task was told to the conversation that had asked for it, as a prompt of its own. */
export interface WatchDelivered {
  /** The task that was asked for, and its agent. */
  taskId: string;
  agent: string;
  caller: string;
  state: TaskState;
  /** The task that tells. */
  inTask: string;
  to: ReplyTo;
}
