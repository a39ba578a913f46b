// Plain data without the secrets in its texts, names of members included. Pure.

/** The value itself where nothing had to be replaced, so that most of what passes is not copied. */
export function redactedValue<T>(value: T, redact: (text: string) => string): T {
  if (typeof value === 'string') return redact(value) as T;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => redactedValue(item, redact));
    return items.some((item, at) => item !== value[at]) ? (items as T) : value;
  }
  const entries = Object.entries(value);
  const clean = entries.map(([name, member]) => [redact(name), redactedValue<unknown>(member, redact)] as const);
  const same = clean.every(([name, member], at) => name === entries[at]?.[0] && member === entries[at]?.[1]);
  return same ? value : (Object.fromEntries(clean) as T);
}
