// Topic patterns by the rules of NATS: `*` stands for exactly one segment, `>` for one or more at the end.

const SEGMENT = /^[^\s.*>]+$/;

/** Says whether `pattern` is well-formed: no empty segments, wildcards alone in theirs, `>` only at the end. */
export function isPattern(pattern: string): boolean {
  const segments = pattern.split('.');
  return segments.every(
    (segment, i) => segment === '*' || (segment === '>' && i === segments.length - 1) || SEGMENT.test(segment),
  );
}

/** True when `topic` (no wildcards) fits `pattern`. */
export function matches(pattern: string, topic: string): boolean {
  const wanted = pattern.split('.');
  const actual = topic.split('.');
  for (let i = 0; i < wanted.length; i++) {
    if (wanted[i] === '>') return actual.length > i;
    if (i >= actual.length || (wanted[i] !== '*' && wanted[i] !== actual[i])) return false;
  }
  return wanted.length === actual.length;
}
