// The core's model as the SDK's types. On the streaming hot path: plain object literals of one shape each, no copies of
// what the SDK only reads.
import type {
  Artifact as SdkArtifact,
  Message as SdkMessage,
  Part as SdkPart,
  StreamResponse,
  Task as SdkTask,
  TaskStatus as SdkTaskStatus,
} from '@a2a-js/sdk';
import { TASK_STATES, type Artifact, type Message, type Part, type StreamEvent } from '../../../src/a2a-model.js';
import type { Task, TaskStatus } from '../../../src/a2a-model.js';
import type { BlobStore } from '../../../src/workspace/blob-store.js';

import { acceptedArtifacts, type OutputModes } from './output-modes.js';

/** Reads a stored file of the task's scope; undefined when it is gone. */
export type ReadBlob = (blob: string) => Buffer | undefined;

export const blobReader =
  (blobs: BlobStore, scope: string): ReadBlob =>
  (blob) =>
    blobs.read(scope, blob);

export interface TaskView {
  /** The most recent messages to show; undefined = all. */
  historyLength?: number;
  includeArtifacts?: boolean;
  /** What artifacts may consist of. */
  accepted?: OutputModes;
}

/** The SDK numbers states in the order of the model's list, from 1. */
const STATE_NUMBERS = new Map(TASK_STATES.map((state, i) => [state, i + 1]));

export function toSdkTask(task: Task, read: ReadBlob, view: TaskView = {}): SdkTask {
  const { historyLength, includeArtifacts = true, accepted } = view;
  // slice(-0) would be everything.
  const history =
    historyLength === undefined ? task.history : historyLength === 0 ? [] : task.history.slice(-historyLength);
  return {
    id: task.id,
    contextId: task.contextId,
    status: toSdkStatus(task.status, read),
    artifacts: includeArtifacts
      ? acceptedArtifacts(task.artifacts, accepted).map((artifact) => toSdkArtifact(artifact, read))
      : [],
    history: history.map((message) => toSdkMessage(message, read)),
    metadata: task.metadata,
  };
}

/** One event of a stream. */
export function toSdkEvent(event: StreamEvent, read: ReadBlob): StreamResponse {
  if ('artifactUpdate' in event) {
    const { taskId, contextId, artifact, append, lastChunk } = event.artifactUpdate;
    return {
      payload: {
        $case: 'artifactUpdate',
        value: { taskId, contextId, artifact: toSdkArtifact(artifact, read), append, lastChunk, metadata: undefined },
      },
    };
  }
  if ('statusUpdate' in event) {
    const { taskId, contextId, status, metadata } = event.statusUpdate;
    return {
      payload: { $case: 'statusUpdate', value: { taskId, contextId, status: toSdkStatus(status, read), metadata } },
    };
  }
  return { payload: { $case: 'task', value: toSdkTask(event.task, read) } };
}

function toSdkStatus(status: TaskStatus, read: ReadBlob): SdkTaskStatus {
  return {
    state: STATE_NUMBERS.get(status.state) as SdkTaskStatus['state'],
    message: status.message && toSdkMessage(status.message, read),
    timestamp: status.timestamp,
  };
}

export function toSdkMessage(message: Message, read: ReadBlob): SdkMessage {
  return {
    messageId: message.messageId,
    contextId: message.contextId ?? '',
    taskId: message.taskId ?? '',
    role: message.role === 'ROLE_USER' ? 1 : 2,
    parts: message.parts.map((part) => toSdkPart(part, read)),
    metadata: message.metadata,
    extensions: message.extensions ?? [],
    referenceTaskIds: message.referenceTaskIds ?? [],
  };
}

function toSdkArtifact(artifact: Artifact, read: ReadBlob): SdkArtifact {
  return {
    artifactId: artifact.artifactId,
    name: artifact.name ?? '',
    description: artifact.description ?? '',
    parts: artifact.parts.map((part) => toSdkPart(part, read)),
    metadata: artifact.metadata,
    extensions: artifact.extensions ?? [],
  };
}

function toSdkPart(part: Part, read: ReadBlob): SdkPart {
  return {
    content: contentOf(part, read),
    metadata: part.metadata,
    filename: part.filename ?? '',
    mediaType: 'blob' in part && part.mediaType === undefined ? '' : (part.mediaType ?? ''),
  };
}

function contentOf(part: Part, read: ReadBlob): SdkPart['content'] {
  if ('text' in part) return { $case: 'text', value: part.text };
  if ('data' in part) return { $case: 'data', value: part.data };
  if ('url' in part) return { $case: 'url', value: part.url };
  const value = read(part.blob);
  if (value) return { $case: 'raw', value };
  // A hole in the answer would look like an empty file; a sentence can't be mistaken for one.
  return { $case: 'text', value: `[The file ${part.filename ?? part.blob} is no longer available.]` };
}
