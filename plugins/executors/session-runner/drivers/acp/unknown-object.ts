// What comes from an agent is unknown until it is looked at.

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The member if it is a text with something in it. */
export function textAt(value: Record<string, unknown>, member: string): string | undefined {
  const text = value[member];
  return typeof text === 'string' && text !== '' ? text : undefined;
}
