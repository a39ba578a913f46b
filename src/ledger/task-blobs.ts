// Which stored files a task names. Pure.
import type { Part, Task } from '../a2a-model.js';

/** Names of all files in its messages and artifacts, each once. */
export function blobsOf({ history, artifacts, status }: Task): string[] {
  const found = new Set<string>();
  const add = (parts: readonly Part[] | undefined): void => {
    for (const part of parts ?? []) if ('blob' in part) found.add(part.blob);
  };
  for (const message of history) add(message.parts);
  for (const artifact of artifacts) add(artifact.parts);
  add(status.message?.parts);
  return [...found];
}
