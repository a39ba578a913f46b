// An event of a stream as ProtoJSON. The core keeps its model in that shape, so most events are written as they are;
// only those with files or whole tasks take the way over the SDK's types.
import { StreamResponse } from '@a2a-js/sdk';
import type { Part, StreamEvent } from '../../../src/a2a-model.js';
import { toSdkEvent, type ReadBlob } from './to-sdk.js';

/** The same JSON, members' order aside, that the SDK writes for this event. */
export function eventJson(event: StreamEvent, read: ReadBlob): object {
  if ('artifactUpdate' in event) {
    const { taskId, contextId, artifact, append, lastChunk } = event.artifactUpdate;
    if (!hasFiles(artifact.parts)) {
      // ProtoJSON leaves out a flag that is false.
      const flags = { ...(append && { append }), ...(lastChunk && { lastChunk }) };
      return { artifactUpdate: { taskId, contextId, artifact, ...flags } };
    }
  } else if ('statusUpdate' in event && !hasFiles(event.statusUpdate.status.message?.parts ?? [])) {
    return event;
  }
  return StreamResponse.toJSON(toSdkEvent(event, read)) as object;
}

const hasFiles = (parts: readonly Part[]): boolean => parts.some((part) => 'blob' in part);
