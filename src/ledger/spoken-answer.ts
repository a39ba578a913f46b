// How an answer that is spoken piece by piece becomes an artifact, a message of the history and a line of the transcript. Pure.
import { textOf } from '../a2a-model.js';
import type { Draft } from './draft.js';

/** The artifact that assistant messages stream into. */
export const RESPONSE_ARTIFACT = 'response';

/** Ends the open assistant message: it becomes an agent's message of the history and a line of the transcript. */
export function endMessage(draft: Draft): void {
  if (!draft.envelope.speaking) return;
  draft.envelope.speaking = undefined;
  const response = draft.task.artifacts.find((artifact) => artifact.artifactId === RESPONSE_ARTIFACT);
  const text = textOf(response?.parts ?? []);
  draft.line('assistant', text);
  draft.say(draft.agentMessage([{ text }]));
}

/** The run is over: its streamed answer gets the last chunk that nobody could mark while it was still growing. */
export function closeAnswer(draft: Draft): void {
  endMessage(draft);
  if (!draft.envelope.unclosed) return;
  draft.envelope.unclosed = undefined;
  draft.putArtifact({ artifactId: RESPONSE_ARTIFACT, parts: [{ text: '' }] }, true, true);
}
