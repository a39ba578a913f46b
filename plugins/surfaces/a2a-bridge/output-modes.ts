// The media types a caller accepts in an answer. What it can't read is converted where text and JSON can stand for each
// other, and left out otherwise; the stored task keeps everything, and GetTask shows it.
import type { Artifact, Message, Part, StreamEvent } from '../../../src/a2a-model.js';
import { acceptsMode } from './input-modes.js';

/** Lower case; undefined accepts everything. */
export type OutputModes = readonly string[] | undefined;

/** A message has at least one part; this one is in words whatever is accepted, as a failure is. */
const NOTHING_ACCEPTED = 'The answer holds nothing of a type that you accept.';
const TEXT = 'text/plain';
const JSON_TYPE = 'application/json';

/** An empty list is no wish at all. A bare `text`, as old clients send it, means `text/*`. */
export function outputModes(listed: readonly string[]): OutputModes {
  const modes = listed.map((mode) => (mode.split(';', 1)[0] as string).trim().toLowerCase()).filter(Boolean);
  return modes.length === 0 ? undefined : modes.map((mode) => (mode.includes('/') ? mode : `${mode}/*`));
}

/** The artifacts with the parts that are accepted; one of which nothing is left is not there. */
export function acceptedArtifacts(artifacts: readonly Artifact[], modes: OutputModes): readonly Artifact[] {
  if (modes === undefined) return artifacts;
  return artifacts.flatMap((artifact) => {
    const parts = artifact.parts.flatMap((part) => acceptedPart(part, modes) ?? []);
    return parts.length > 0 ? [{ ...artifact, parts }] : [];
  });
}

/** The event as this caller may read it; undefined when nothing of it is left. */
export function acceptedEvent(event: StreamEvent, modes: OutputModes): StreamEvent | undefined {
  if (modes === undefined || !('artifactUpdate' in event)) return event;
  const { artifactUpdate } = event;
  const [artifact] = acceptedArtifacts([artifactUpdate.artifact], modes);
  return artifact && { artifactUpdate: { ...artifactUpdate, artifact } };
}

/** The message as this caller may read it; one of which nothing is left says so. */
export function acceptedMessage(message: Message, modes: OutputModes): Message {
  if (modes === undefined) return message;
  const parts = message.parts.flatMap((part) => acceptedPart(part, modes) ?? []);
  return { ...message, parts: parts.length > 0 ? parts : [{ text: NOTHING_ACCEPTED }] };
}

function acceptedPart(part: Part, modes: readonly string[]): Part | undefined {
  const accepts = (type: string): boolean => acceptsMode(type, modes);
  if (accepts(part.mediaType ?? usualType(part))) return part;
  const metadata = part.metadata && { metadata: part.metadata };
  if ('text' in part) {
    // Text of any kind can be read as it stands.
    if (accepts(TEXT)) return { text: part.text, mediaType: TEXT, ...metadata };
    return accepts(JSON_TYPE) ? { data: part.text, mediaType: JSON_TYPE, ...metadata } : undefined;
  }
  if ('data' in part) {
    if (accepts(JSON_TYPE)) return { data: part.data, mediaType: JSON_TYPE, ...metadata };
    return accepts(TEXT) ? { text: JSON.stringify(part.data), mediaType: TEXT, ...metadata } : undefined;
  }
  return undefined;
}

const usualType = (part: Part): string =>
  'text' in part ? TEXT : 'data' in part ? JSON_TYPE : 'application/octet-stream';
