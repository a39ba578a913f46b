// A client's own copy of a task, made of nothing but what its stream brought.
import type { TaskState } from '../../src/a2a-model.js';
import type { SeenEvent, WireArtifact, WirePart, WireTask } from '../support/a2a-client.js';

/** The state and, by artifact, what it says. */
export function seenTask(events: readonly SeenEvent[]): { state: TaskState | undefined; texts: string[] } {
  let state: TaskState | undefined;
  const artifacts = new Map<string, WirePart[]>();
  const put = ({ artifactId, parts }: WireArtifact, append: boolean): void => {
    artifacts.set(artifactId, [...(append ? (artifacts.get(artifactId) ?? []) : []), ...parts]);
  };
  for (const { event } of events) {
    const { task, statusUpdate, artifactUpdate } = event;
    state = task?.status.state ?? statusUpdate?.status.state ?? state;
    for (const artifact of task?.artifacts ?? []) put(artifact, false);
    if (artifactUpdate) put(artifactUpdate.artifact, artifactUpdate.append ?? false);
  }
  return { state, texts: [...artifacts.values()].map(textOf) };
}

export const textsOf = ({ artifacts = [] }: WireTask): string[] => artifacts.map(({ parts }) => textOf(parts));

/** A run of deltas is one part in the stored task and many in a stream: joined they are the same. */
const textOf = (parts: readonly WirePart[]): string =>
  parts.map((part) => ('text' in part ? part.text : JSON.stringify(part))).join('');
