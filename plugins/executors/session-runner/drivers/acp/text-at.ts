// A text in what an agent sent, which is unknown until it is looked at.

/** The member if it is a text with something in it. */
export function textAt(value: Record<string, unknown>, member: string): string | undefined {
  const text = value[member];
  return typeof text === 'string' && text !== '' ? text : undefined;
}
