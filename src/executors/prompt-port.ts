// How anything that asks gets its prompt onto the bus: publishes `agent.prompt.request` and tells the asker whether the
// dispatcher admitted it.
import type { PushConfig } from '../a2a-model.js';
import type { PromptRequest } from '../bus/topics.js';
import type { TaskRecord } from '../ledger/records.js';

export type Admission =
  /**
   * The task is committed. `record` is the task as of the admission and `seq` its position: following from `seq` shows
   * everything that came after.
   */
  | { kind: 'admitted'; taskId: string; record: TaskRecord; seq: number }
  /** This very message was sent before: the named task is its answer. */
  | { kind: 'duplicate'; taskId: string };

/** What a surface fills in; the port mints cid, requestId and contextId where they are missing. */
export type NewPrompt = Omit<PromptRequest, 'cid' | 'requestId' | 'continues' | 'contextId' | 'webhook'> & {
  /** Continue this task. */
  taskId?: string;
  contextId?: string;
  /** A webhook to register with the message. */
  pushConfig?: PushConfig;
};

export interface PromptPort {
  /** Throws the dispatcher's refusal as an AppError. */
  submit(prompt: NewPrompt): Promise<Admission>;
  /** The webhook that came with a request, until its fate is known: the bus carries no secrets. */
  pushConfigOf(requestId: string): PushConfig | undefined;
  /**
   * Asks for a cancel and resolves with the committed record. Throws `task-not-found`, and for work at a remote agent the
   * refusal of whoever follows it.
   */
  cancel(taskId: string, by: string, reason?: string): Promise<TaskRecord>;
}
