// An event of a stream as ProtoJSON text. The core keeps its model in that shape, so most events are written as they are;
// only those with files or whole tasks take the way over the SDK's types.
import { StreamResponse } from '@a2a-js/sdk';
import type { Part, StreamEvent } from '../../../src/a2a-model.js';
import { toSdkEvent, type ReadBlob } from './to-sdk.js';

/** The same JSON, members' order aside, that the SDK writes for this event. */
export function eventJson(event: StreamEvent, read: ReadBlob): string {
  if ('artifactUpdate' in event) {
    const { taskId, contextId, artifact, append, lastChunk } = event.artifactUpdate;
    if (!hasFiles(artifact.parts)) {
      // ProtoJSON leaves out a flag that is false.
      const flags = { ...(append && { append }), ...(lastChunk && { lastChunk }) };
      return JSON.stringify({ artifactUpdate: { taskId, contextId, artifact, ...flags } });
    }
  } else if ('statusUpdate' in event && !hasFiles(event.statusUpdate.status.message?.parts ?? [])) {
    return JSON.stringify(event);
  }
  return JSON.stringify(StreamResponse.toJSON(toSdkEvent(event, read)));
}

const hasFiles = (parts: readonly Part[]): boolean => parts.some((part) => 'blob' in part);
