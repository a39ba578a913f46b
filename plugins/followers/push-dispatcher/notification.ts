// What a webhook is sent for one change of a task's state: the task in the protocol's JSON, and the headers that let the
// receiver trust and recognise it. Pure.
import type { Artifact, Message, Part, PushConfig, TaskStatus } from '../../../src/a2a-model.js';
import { RPC, writeTask } from '../../../src/a2a-v0-3/legacy-task.js';
import type { WireTask } from '../../../src/a2a-v0-3/wire.js';
import type { TaskRecord, Transition } from '../../../src/ledger/records.js';
import { signatureOf } from './signature.js';

/** The most bytes of files that one notification carries; a body has to fit into memory, and into a string. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;

interface Notification {
  headers: Record<string, string>;
  body: string;
}

/** Reads a stored file of the task's scope; undefined when it is gone. */
type ReadBlob = (blob: string) => Uint8Array | undefined;

interface NotificationOptions {
  read: ReadBlob;
  /** The caller's secret, if it has one: base64 with the prefix `whsec_`. */
  secret?: string;
  /** Milliseconds since the epoch. */
  now: number;
}

export function notification(
  record: TaskRecord,
  config: PushConfig,
  transition: Transition,
  { read, secret, now }: NotificationOptions,
): Notification {
  const { token, authentication } = config;
  const { contentType, body } = contentOf(wireTask(record, transition, read), config.version);
  // Stable: a receiver that sees it twice was told twice of the same change.
  const id = `${record.task.id}_${config.id}_${transition.seq}`;
  const timestamp = Math.floor(now / 1_000);
  return {
    headers: {
      'content-type': contentType,
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      ...(secret !== undefined && { 'webhook-signature': signatureOf(secret, id, timestamp, body) }),
      ...(authentication?.credentials !== undefined && {
        authorization: `${authentication.scheme} ${authentication.credentials}`,
      }),
      ...(token !== undefined && { 'x-a2a-notification-token': token }),
    },
    body,
  };
}

/** Receivers of 0.3 expect the bare task. */
const contentOf = (task: WireTask, version: PushConfig['version']): { contentType: string; body: string } =>
  version === '0.3'
    ? { contentType: 'application/json', body: JSON.stringify(writeTask(RPC, task)) }
    : { contentType: 'application/a2a+json', body: JSON.stringify({ task }) };

/** Bytes of the files that a notification of this task carries. */
export function bytesOfFiles({ task }: TaskRecord): number {
  const parts = [...task.artifacts.flatMap(({ parts }) => parts), ...(task.status.message?.parts ?? [])];
  return parts.reduce((sum, part) => sum + ('blob' in part ? part.size : 0), 0);
}

/**
 * The task with the status of that change, even if it has moved on. Its history is left out: the receiver sent half of it
 * and can ask for the rest.
 */
function wireTask(record: TaskRecord, transition: Transition, read: ReadBlob): WireTask {
  const { id, contextId, artifacts, metadata } = record.task;
  const status = statusAt(record, transition);
  const files = { read, room: MAX_FILE_BYTES };
  return {
    id,
    contextId,
    status: { ...status, ...(status.message && { message: withBytes(status.message, files) }) },
    ...(artifacts.length > 0 && { artifacts: artifacts.map((artifact) => withBytes(artifact, files)) }),
    ...(metadata && { metadata }),
  } as WireTask;
}

/** The status as of a change: the task's own for its latest one, else what the envelope and the history remember. */
export function statusAt({ task, envelope }: TaskRecord, { seq, state, at }: Transition): TaskStatus {
  if (envelope.transitions.at(-1)?.seq === seq) return task.status;
  // What an agent said with a change of state, a question above all, carries the position of that change in its id.
  const message = task.history.find(({ messageId }) => messageId === `${task.id}-${seq}`);
  return { state, ...(message && { message }), timestamp: new Date(at).toISOString() };
}

interface Files {
  read: ReadBlob;
  /** Bytes that may still be added. */
  room: number;
}

const withBytes = <T extends Message | Artifact>(holder: T, files: Files): T => ({
  ...holder,
  parts: holder.parts.map((part) => wirePart(part, files)),
});

/** A file's bytes in base64, or a sentence in place of those that are gone or too many. */
function wirePart(part: Part, files: Files): Part {
  if (!('blob' in part)) return part;
  const { blob, size, ...attributes } = part;
  return { ...contentOfFile(part.filename ?? blob, blob, size, files), ...attributes } as Part;
}

function contentOfFile(name: string, blob: string, size: number, files: Files): { raw: string } | { text: string } {
  if (size > files.room) return { text: `[The file ${name} is too large to be sent along; the task has it.]` };
  const bytes = files.read(blob);
  if (!bytes) return { text: `[The file ${name} is no longer available.]` };
  files.room -= size;
  return { raw: Buffer.from(bytes).toString('base64') };
}
