// Plain data and text files without the secrets in them, names of members included. Pure.

/** Larger files are not searched: that would hold up everybody else. */
const MOST_BYTES = 256 * 1024;
const TEXTS = /^text\/|[/+](?:json|xml|yaml|javascript|x-sh)\b/;

/** A text file without secrets; the bytes themselves where there are none, or where it is large or no text. */
export function redactedFile(bytes: Uint8Array, mediaType: string, redact: (text: string) => string): Uint8Array {
  if (bytes.length > MOST_BYTES || !TEXTS.test(mediaType)) return bytes;
  const text = Buffer.from(bytes).toString();
  const clean = redact(text);
  return clean === text ? bytes : Buffer.from(clean);
}

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
