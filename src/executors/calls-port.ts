// How one agent asks another: as a prompt like any other, followed for a while, and told of later when it takes longer.
import type { Part } from '../a2a-model.js';
import type { TaskRecord } from '../ledger/records.js';
import type { BlobRef } from '../workspace/blob-store.js';
import type { Prompt } from './contract.js';

/** The turn that asks. */
export type Asker = Pick<Prompt, 'agent' | 'taskId' | 'contextId' | 'caller' | 'chain' | 'traceparent' | 'synthetic'>;

export interface CallRequest {
  /** The call is its caller's, and carries its hop chain on. */
  asker: Asker;
  surface: 'tool' | 'plugin';
  /** The workspace in whose agents.json the name is looked up first; the caller's own when absent. */
  lookIn?: string;
  agent?: string;
  skill?: string;
  /** The message. `put` stores the bytes of a file. */
  parts(put: (bytes: Uint8Array) => BlobRef): Part[];
  /** The same id stands for the same call, also after a restart: it is made once. */
  messageId?: string;
  /** Continue this conversation with the agent. */
  contextId?: string;
  /** Answer this task's question. */
  taskId?: string;
  /** How long it is followed. */
  seconds: number;
  /** Ends the waiting. When the asking task was canceled, what it asked for is canceled too. */
  signal: AbortSignal;
}

export interface Calls {
  /**
   * The task once it settles, or as it is when the time is up: then the asking conversation is told later. Throws the
   * dispatcher's refusal.
   */
  call(request: CallRequest): Promise<TaskRecord>;
  /** A task that this conversation's agent asked for in this caller's name; looked at anew. Throws `task-not-found`. */
  look(taskId: string, asker: Asker): Promise<TaskRecord>;
  /** Throws `task-not-found`, and `task-not-cancelable` with the reason. */
  cancel(taskId: string, asker: Asker, reason?: string): Promise<TaskRecord>;
  /** True while somebody waits for what becomes of this message's task. */
  isAwaited(record: TaskRecord): boolean;
  /** Calls back when nobody waits for a task any more that has something to tell, or may have later. */
  onLetGo(listener: (taskId: string) => void): void;
}
