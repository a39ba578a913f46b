// How long a fetched card may be used without asking again, by the rules of HTTP caching (RFC 9111) for a private cache.
// Pure.

export interface Freshness {
  /** Milliseconds since the epoch; asked again from then on. */
  freshUntil: number;
  /** Headers that make the next request conditional. */
  validators: Record<string, string>;
}

/** Where the answer says nothing. */
const OWN_MS = 300_000;
/** An agent that allows years is still looked at once a day. */
const LONGEST_MS = 86_400_000;

/** `headers`: the answer's; `last`: what held before, which a 304 that says nothing about it leaves in force. */
export function freshnessOf(headers: Headers, now: number, last?: Freshness): Freshness {
  const etag = headers.get('etag');
  const modified = headers.get('last-modified');
  const validators = {
    ...(last?.validators ?? {}),
    ...(etag !== null && { 'if-none-match': etag }),
    ...(modified !== null && { 'if-modified-since': modified }),
  };
  return { freshUntil: now + Math.min(lifetimeMs(headers, now), LONGEST_MS), validators };
}

function lifetimeMs(headers: Headers, now: number): number {
  const control = (headers.get('cache-control') ?? '').toLowerCase();
  if (/(^|[\s,])(no-store|no-cache)\b/.test(control)) return 0;
  const age = /^\d+$/.test(headers.get('age') ?? '') ? Number(headers.get('age')) * 1000 : 0;
  const maxAge = /(?:^|[\s,])max-age="?(\d+)/.exec(control)?.[1];
  if (maxAge !== undefined) return Math.max(Number(maxAge) * 1000 - age, 0);
  const expires = headers.get('expires');
  if (expires === null) return OWN_MS;
  const at = /^[A-Z][a-z]+,? /.test(expires) ? Date.parse(expires) : NaN;
  const date = Date.parse(headers.get('date') ?? '');
  // What is no date means: already stale.
  return Number.isNaN(at) ? 0 : Math.max(at - (Number.isNaN(date) ? now : date) - age, 0);
}
