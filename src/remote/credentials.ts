// One agent's key and headers: put where its card wants them, into requests to its own origin only, and taken out of
// whatever comes back.
import { REDACTED } from '../secrets/secrets.js';
import type { RemoteAgent } from '../workspace/remote-agent-files.js';
import { secretsOfEntry } from '../workspace/remote-agent-secrets.js';
import type { KeyPlace } from './key-place.js';

/** Shorter values would tear holes into ordinary text. */
const SHORTEST = 6;

export class Credentials {
  private places: readonly KeyPlace[] = [];
  private place = 0;
  private readonly origin: string;
  private readonly secrets: string[];

  constructor(private readonly agent: Pick<RemoteAgent, 'url' | 'key' | 'headers'>) {
    this.origin = new URL(agent.url).origin;
    const values = secretsOfEntry(agent).filter((one) => one.length >= SHORTEST);
    this.secrets = [...new Set(values.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]))];
  }

  get hasKey(): boolean {
    return this.agent.key !== undefined;
  }

  /** Where the card wants the key, the best place first. */
  placesAre(places: readonly KeyPlace[]): void {
    if (JSON.stringify(places) === JSON.stringify(this.places)) return;
    this.places = places;
    this.place = 0;
  }

  /** The request with key and headers where it goes to the agent's own origin, else as it is. */
  apply(url: string, headers: Record<string, string>): { url: string; headers: Record<string, string>; place: number } {
    const { place } = this;
    const target = new URL(url);
    if (target.origin !== this.origin) return { url, headers, place };
    const keyed = this.keyed(target);
    return { url: target.href, headers: merge(merge(headers, keyed), this.agent.headers ?? {}), place };
  }

  /** As gRPC metadata: cookies and queries do not exist there. */
  metadata(): Record<string, string> {
    const place = this.places.find((one) => one.in === 'header');
    const keyed = place === undefined ? this.headersFor(BEARER) : this.headersFor(place);
    return merge(keyed, this.agent.headers ?? {});
  }

  /** Goes on to the next place, after the peer did not take the key at `place`. False when there is none. */
  tryNext(place: number): boolean {
    if (!this.hasKey || place + 1 >= this.places.length) return false;
    if (place === this.place) this.place++;
    return true;
  }

  /** Text without the key and the headers' values. */
  redact(text: string): string {
    let clean = text;
    for (const secret of this.secrets) if (clean.includes(secret)) clean = clean.replaceAll(secret, REDACTED);
    return clean;
  }

  redactBytes(bytes: Buffer): Buffer {
    return this.secrets.some((secret) => bytes.includes(secret)) ? Buffer.from(this.redact(bytes.toString())) : bytes;
  }

  /** Headers that hold the key; a query's place changes `target` instead. */
  private keyed(target: URL): Record<string, string> {
    const { key } = this.agent;
    const place = this.places[this.place] ?? BEARER;
    if (key === undefined) return {};
    if (place.in !== 'query') return this.headersFor(place);
    target.searchParams.set(place.name, key);
    return {};
  }

  private headersFor(place: Exclude<KeyPlace, { in: 'query' }>): Record<string, string> {
    const { key } = this.agent;
    if (key === undefined) return {};
    if (place.in === 'cookie') return { cookie: `${place.name}=${encodeURIComponent(key)}` };
    if (place.scheme === undefined) return { [place.name]: key };
    // `user:password` is how people write such a key; anything else they have encoded themselves.
    const basic = place.scheme === 'Basic' && key.includes(':') ? Buffer.from(key).toString('base64') : key;
    return { [place.name]: `${place.scheme} ${basic}` };
  }
}

const BEARER = { in: 'header', name: 'Authorization', scheme: 'Bearer' } as const;

/** Later ones win, whatever their case. */
function merge(headers: Record<string, string>, more: Record<string, string>): Record<string, string> {
  const names = new Set(Object.keys(more).map((name) => name.toLowerCase()));
  return { ...Object.fromEntries(Object.entries(headers).filter(([name]) => !names.has(name.toLowerCase()))), ...more };
}
