// What a webhook is sent for one change of a task's state: the task in the protocol's JSON, and the headers that let the
// receiver trust and recognise it. Pure.
import type { Artifact, Message, Part, PushConfig, Task, TaskStatus } from '../../../src/a2a-model.js';
import type { TaskRecord, Transition } from '../../../src/ledger/records.js';

export interface Notification {
  headers: Record<string, string>;
  body: string;
}

/** Reads a stored file of the task's scope; undefined when it is gone. */
export type ReadBlob = (blob: string) => Uint8Array | undefined;

export function notification(
  record: TaskRecord,
  config: PushConfig,
  transition: Transition,
  read: ReadBlob,
): Notification {
  const { token, authentication } = config;
  return {
    headers: {
      'content-type': 'application/a2a+json',
      // Stable: a receiver that sees it twice was told twice of the same change.
      'webhook-id': `${record.task.id}_${config.id}_${transition.seq}`,
      ...(authentication?.credentials !== undefined && {
        authorization: `${authentication.scheme} ${authentication.credentials}`,
      }),
      ...(token !== undefined && { 'x-a2a-notification-token': token }),
    },
    body: JSON.stringify({ task: wireTask(record, transition, read) }),
  };
}

/**
 * The task with the status of that change, even if it has moved on. Its history is left out: the receiver sent half of it
 * and can ask for the rest.
 */
function wireTask(record: TaskRecord, transition: Transition, read: ReadBlob): Omit<Task, 'history' | 'artifacts'> {
  const { id, contextId, artifacts, metadata } = record.task;
  const status = statusAt(record, transition);
  return {
    id,
    contextId,
    status: { ...status, ...(status.message && { message: withBytes(status.message, read) }) },
    ...(artifacts.length > 0 && { artifacts: artifacts.map((artifact) => withBytes(artifact, read)) }),
    ...(metadata && { metadata }),
  };
}

/** The status as of a change: the task's own for its latest one, else what the envelope and the history remember. */
export function statusAt({ task, envelope }: TaskRecord, { seq, state, at }: Transition): TaskStatus {
  if (envelope.transitions.at(-1)?.seq === seq) return task.status;
  // What an agent said with a change of state, a question above all, carries the position of that change in its id.
  const message = task.history.find(({ messageId }) => messageId === `${task.id}-${seq}`);
  return { state, ...(message && { message }), timestamp: new Date(at).toISOString() };
}

const withBytes = <T extends Message | Artifact>(holder: T, read: ReadBlob): T => ({
  ...holder,
  parts: holder.parts.map((part) => wirePart(part, read)),
});

/** A file's bytes in base64, or a sentence in place of those that are gone. */
function wirePart(part: Part, read: ReadBlob): Part {
  if (!('blob' in part)) return part;
  const { blob, size: _size, ...attributes } = part;
  const bytes = read(blob);
  const content = bytes
    ? { raw: Buffer.from(bytes).toString('base64') }
    : { text: `[The file ${part.filename ?? blob} is no longer available.]` };
  return { ...content, ...attributes } as Part;
}
