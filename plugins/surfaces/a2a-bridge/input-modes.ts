// Which media types a part may have: what the cards declare, and nothing else.

/** Declared in every card. Files of these types are stored in the agent's inbox, the rest of the kinds reach it as text. */
export const INPUT_MODES: readonly string[] = [
  'text/plain',
  'application/json',
  'application/octet-stream',
  'application/pdf',
  'application/zip',
  'application/gzip',
  'application/xml',
  'application/yaml',
  'application/rtf',
  'application/msword',
  'application/vnd.ms-excel',
  'application/vnd.ms-powerpoint',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  'text/*',
  'image/*',
  'audio/*',
  'video/*',
];

/**
 * True when a part of this type may be sent: by the skill's own list where the message names a skill that has one, else
 * by what all agents take, and, naming no skill, by what any skill takes. `skills` is asked only where it matters.
 */
export function acceptsInput(
  mediaType: string,
  skill: string | undefined,
  skills: () => readonly { id: string; inputModes?: readonly string[] }[],
): boolean {
  if (skill === undefined) {
    if (acceptsMode(mediaType, INPUT_MODES)) return true;
    return skills().some(({ inputModes = [] }) => acceptsMode(mediaType, inputModes));
  }
  const own = skills().find(({ id }) => id === skill)?.inputModes ?? [];
  return acceptsMode(mediaType, own.length > 0 ? own : INPUT_MODES);
}

export const OUTPUT_MODES: readonly string[] = ['text/plain', 'application/json', 'application/octet-stream'];

/** True when `mediaType` (parameters and case aside) is one of `modes`, or falls under a `type/*` of them. */
export function acceptsMode(mediaType: string, modes: readonly string[]): boolean {
  const essence = (mediaType.split(';', 1)[0] as string).trim().toLowerCase();
  const slash = essence.indexOf('/');
  if (slash < 1 || slash === essence.length - 1) return false;
  return modes.includes(essence) || modes.includes(`${essence.slice(0, slash)}/*`) || modes.includes('*/*');
}
