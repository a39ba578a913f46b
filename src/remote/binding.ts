// One way of speaking to an agent: an operation goes out, raw values come back, whatever the wire between looks like.
import type { Answer } from './read-answer.js';
import type { Operation } from './write-request.js';

export interface BindingOptions {
  /** Version, extensions and trace context. */
  headers: Record<string, string>;
  signal?: AbortSignal;
  /** Milliseconds: for the whole answer, or for each silence of a stream. No limit when absent. */
  timeoutMs?: number;
}

export interface Binding {
  /** The result as the peer wrote it. Throws RemoteError. */
  call(operation: Operation, options: BindingOptions): Promise<Answer>;
  /** The events of a task as the peer wrote them, until the connection ends. Throws RemoteError. */
  subscribe(taskId: string, options: BindingOptions): AsyncIterable<Answer>;
}
