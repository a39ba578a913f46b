// RFC 8785 (JCS): one text for a JSON value, whoever writes it. Numbers and strings are written as ECMAScript does, which
// is what the RFC asks for; members are sorted by UTF-16 code units.

/** Throws for what has no such text: numbers that are not finite, lone surrogates. Members that are undefined are not there. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    members.sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${members.map(([name, member]) => `${canonicalJson(name)}:${canonicalJson(member)}`).join(',')}}`;
  }
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Error('a number has no canonical JSON');
  if (typeof value === 'string' && LONE_SURROGATE.test(value)) throw new Error('a string has no canonical JSON');
  return JSON.stringify(value);
}

const LONE_SURROGATE = /\p{Surrogate}/u;
