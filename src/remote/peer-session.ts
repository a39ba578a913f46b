// What is kept of one configured agent between calls: its card, the way that worked, and whether it is worth a try. An
// edit of its entry makes a new one.
import type { Clock, NewId } from '../clock.js';
import { IDEMPOTENT_SEND } from '../extension-uris.js';
import type { Logger } from '../log.js';
import type { GuardedFetch } from '../net/guarded-fetch.js';
import type { RemoteAgent } from '../workspace/remote-agent-files.js';
import type { Binding } from './binding.js';
import { asked, CLOSED, failed, openUntil, undecided } from './breaker.js';
import { fetchCard } from './card-fetch.js';
import { freshnessOf, type Freshness } from './card-freshness.js';
import { Credentials } from './credentials.js';
import { GrpcBinding } from './grpc-binding.js';
import { JsonRpcBinding } from './json-rpc-binding.js';
import { readPeerCard, type PeerCard } from './peer-card.js';
import { PeerFaults } from './peer-faults.js';
import { PeerHttp } from './peer-http.js';
import { RemoteError } from './remote-error.js';
import type { CallOptions, RemoteAgentView } from './remote-port.js';
import { RestBinding } from './rest-binding.js';
import { waysTo, type Way, type Ways } from './ways.js';
import { protocolHeaders } from './write-request.js';

export interface SessionDeps {
  net: GuardedFetch;
  clock: Clock;
  newId: NewId;
  log: Logger;
  redact: (text: string) => string;
}

/** A card that could not be fetched anew is used on for so long before the next try. */
const STALE_MS = 30_000;
const CARD_MS = 10_000;

interface KeptCard {
  card: PeerCard;
  url: string;
  freshness: Freshness;
}

export class PeerSession {
  readonly faults: PeerFaults;
  readonly credentials: Credentials;
  readonly http: PeerHttp;
  private kept: KeptCard | undefined;
  private fetching: Promise<PeerCard> | undefined;
  private breaker = CLOSED;
  private ways: Ways = { ways: [], problems: [] };
  private preferred: Way | undefined;
  private readonly bindings = new Map<string, Binding & { close?(): void }>();
  /** Why it could not be reached last, until it answers again. */
  private down: string | undefined;
  /** Why its card could not be had anew last, until it can. */
  private stale: string | undefined;
  /** That it did not take the key, until it does. */
  private rejected: string | undefined;
  private lastSeen: number | undefined;
  /** The extension that it declares and did not put in force when it was asked for. */
  private ignored: string | undefined;

  constructor(
    readonly agent: RemoteAgent,
    private readonly deps: SessionDeps,
  ) {
    const { net, clock, redact } = deps;
    const { url } = agent;
    this.credentials = new Credentials(agent);
    this.faults = new PeerFaults(agent.name, (text) => this.credentials.redact(redact(text)));
    this.http = new PeerHttp({
      net,
      clock,
      faults: this.faults,
      credentials: this.credentials,
      url,
      extensions: (asked, inForce) => (this.ignored = inForce.includes(asked) ? undefined : asked),
    });
  }

  /** The last good card. */
  get card(): PeerCard | undefined {
    return this.kept?.card;
  }

  /** What was found last, for people. */
  get state(): Pick<RemoteAgentView, 'reachable' | 'problem' | 'lastSeen' | 'leftAloneUntil'> {
    const { down, stale, rejected } = this;
    const problems = [down, stale, rejected, ...(this.card?.problems ?? []), ...this.ways.problems, ...this.unmet()];
    const found = [...new Set(problems.filter((one) => one !== undefined))].join('; ');
    const until = openUntil(this.breaker, this.deps.clock.now());
    return {
      reachable: this.down !== undefined ? 'no' : this.lastSeen === undefined ? 'unknown' : 'yes',
      ...(found !== '' && { problem: found }),
      ...(this.lastSeen !== undefined && { lastSeen: new Date(this.lastSeen).toISOString() }),
      ...(until !== undefined && { leftAloneUntil: new Date(until).toISOString() }),
    };
  }

  /**
   * Runs one call unless the peer failed too often just now, and learns from how it went. Throws RemoteError.
   */
  async attempt<T>(call: () => Promise<T>): Promise<T> {
    const { clock } = this.deps;
    const until = openUntil(this.breaker, clock.now());
    if (until !== undefined) {
      const why = `it failed ${this.breaker.failures} times in a row and is left alone until ${new Date(until).toISOString()}`;
      throw this.faults.unreachable(`${why} (${this.down ?? 'no answer'})`, 'BREAKER_OPEN');
    }
    this.breaker = asked(this.breaker, clock.now());
    try {
      const result = await call();
      this.heard();
      return result;
    } catch (thrown) {
      if (!(thrown instanceof RemoteError))
        this.deps.log.error({ err: thrown, agent: this.agent.name }, 'a call failed');
      const error = this.faults.transport(thrown);
      if (error.fault === 'unreachable' || error.fault === 'timeout') {
        this.breaker = failed(this.breaker, clock.now());
        this.down = error.message;
      } else if (error.fault === 'aborted' || !error.sent) this.breaker = undecided(this.breaker);
      else this.heard();
      if (error.fault === 'rejected-key') this.rejected = error.message;
      throw error;
    }
  }

  /**
   * The card, by the rules of HTTP caching; the last good one while a newer can't be had. `anew`: asks again even after a
   * failure just now. Throws RemoteError when there is none at all.
   */
  async currentCard(options: CallOptions, anew = false): Promise<PeerCard> {
    const { kept } = this;
    if (kept && this.deps.clock.now() < kept.freshness.freshUntil && !(anew && this.down !== undefined)) {
      return kept.card;
    }
    // Whoever shares a running fetch must not fail because the first one gave up: so nobody's signal is its end.
    this.fetching ??= this.refresh(options.traceparent).finally(() => (this.fetching = undefined));
    try {
      return await this.abortable(this.fetching, options.signal);
    } catch (error) {
      if (!kept || options.signal?.aborted) throw error;
      kept.freshness = { ...kept.freshness, freshUntil: this.deps.clock.now() + STALE_MS };
      return kept.card;
    }
  }

  /** The ways to the agent, the one that worked last first. Throws RemoteError when there is none. */
  waysNow(): Way[] {
    const { ways } = this.ways;
    const { protocol } = this.agent;
    if (ways.length === 0) {
      const spoken = this.card?.interfaces.map((one) => `${one.binding} of A2A ${one.protocol}`).join(', ');
      const pin = protocol === undefined ? '' : `, and A2A ${protocol} is prescribed for it`;
      throw this.faults.unsupported(`an interface that can be used here: its card names ${spoken || 'none'}${pin}`);
    }
    return this.preferred ? [this.preferred, ...ways.filter((way) => way !== this.preferred)] : ways;
  }

  /** Remembers the way that worked. */
  prefer(way: Way): void {
    this.rejected = undefined;
    if (this.preferred === way) return;
    this.preferred = way;
    if (way.declared) return;
    const { agent } = this.faults;
    this.deps.log.warn({ agent, protocol: way.protocol }, 'a remote agent speaks another version than its card says');
    this.ways.problems.push(`it speaks A2A ${way.protocol}, which its card does not say`);
  }

  binding(way: Way): Binding {
    const id = JSON.stringify([way.binding, way.protocol, way.route.url, way.tenant]);
    let binding = this.bindings.get(id);
    if (!binding) {
      binding = this.makeBinding(way);
      this.bindings.set(id, binding);
    }
    return binding;
  }

  headers({ protocol }: Pick<Way, 'protocol'>, { traceparent }: CallOptions): Record<string, string> {
    const wanted = this.card?.extensions.some(({ uri }) => uri === IDEMPOTENT_SEND) ? [IDEMPOTENT_SEND] : [];
    return { ...protocolHeaders(protocol, wanted), traceparent: traceparent ?? this.newTrace() };
  }

  close(): void {
    for (const binding of this.bindings.values()) binding.close?.();
    this.bindings.clear();
  }

  private heard(): void {
    this.breaker = CLOSED;
    this.lastSeen = this.deps.clock.now();
    this.down = undefined;
  }

  private async refresh(traceparent: string | undefined): Promise<PeerCard> {
    const { http, faults, kept } = this;
    const { clock } = this.deps;
    const { url } = this.agent;
    const headers = { ...protocolHeaders('1.0', []), traceparent: traceparent ?? this.newTrace() };
    const last = kept && { url: kept.url, validators: kept.freshness.validators };
    const fetched = await this.attempt(() =>
      fetchCard({ http, faults, url }, { headers, ...(last && { last }) }).catch((error: unknown) => {
        this.stale = faults.transport(error).message;
        throw error;
      }),
    );
    this.stale = undefined;
    if (!fetched.card) {
      if (kept) kept.freshness = freshnessOf(fetched.headers, clock.now(), kept.freshness);
      return kept?.card ?? Promise.reject(faults.broken('sent 304 to a request without conditions'));
    }
    this.take(fetched.card);
    const card = (await this.extended(fetched.card, traceparent)) ?? fetched.card;
    if (card !== fetched.card) this.take(card);
    this.kept = { card, url: fetched.url, freshness: freshnessOf(fetched.headers, clock.now()) };
    return card;
  }

  private take(card: PeerCard): void {
    this.credentials.placesAre(card.keyPlaces);
    const ways = waysTo(card, this.agent);
    if (JSON.stringify(ways.ways) === JSON.stringify(this.ways.ways)) return;
    this.ways = ways;
    this.preferred = undefined;
    this.close();
  }

  /** The card for those who have a key; undefined, and the public one stays, when it is not to be had. */
  private async extended(card: PeerCard, traceparent: string | undefined): Promise<PeerCard | undefined> {
    const [way] = this.ways.ways;
    if (!card.offers.extendedCard || !this.credentials.hasKey || !way?.route.withKey) return undefined;
    try {
      const headers = this.headers(way, { ...(traceparent !== undefined && { traceparent }) });
      const options = { headers, timeoutMs: CARD_MS };
      const answer = await this.binding(way).call({ name: 'GetExtendedAgentCard', params: {} }, options);
      const extended = readPeerCard(answer.value);
      return (
        extended && { ...extended, interfaces: extended.interfaces.length > 0 ? extended.interfaces : card.interfaces }
      );
    } catch (error) {
      this.deps.log.debug({ agent: this.agent.name, err: error }, 'no extended card');
      return undefined;
    }
  }

  private makeBinding(way: Way): Binding & { close?(): void } {
    const { http, faults, credentials } = this;
    const { net, clock } = this.deps;
    const { protocol, route } = way;
    const tenant = way.tenant === undefined ? {} : { tenant: way.tenant };
    if (way.binding === 'GRPC') return new GrpcBinding({ net, clock, faults, credentials, protocol, route, ...tenant });
    const options = { http, faults, url: route.url, protocol, ...tenant };
    return way.binding === 'JSONRPC' ? new JsonRpcBinding(options) : new RestBinding(options);
  }

  private unmet(): string[] {
    const required = this.card?.extensions.filter(({ uri, required }) => required && uri !== IDEMPOTENT_SEND) ?? [];
    return [
      ...required.map(({ uri }) => `it requires the extension ${uri.slice(0, 200)}, which is not known here`),
      ...(this.ignored === undefined ? [] : [`it declares the extension ${this.ignored} and did not activate it`]),
    ];
  }

  private async abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    if (!signal) return work;
    let giveUp = (): void => undefined;
    const given = new Promise<never>((_resolve, reject) => {
      giveUp = () => reject(this.faults.aborted());
      if (signal.aborted) giveUp();
      else signal.addEventListener('abort', giveUp, { once: true });
    });
    try {
      return await Promise.race([work, given]);
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  private newTrace(): string {
    const hex = (length: number): string =>
      this.deps
        .newId()
        .replace(/[^0-9a-f]/g, '')
        .padEnd(length, '0')
        .slice(-length);
    return `00-${hex(32)}-${hex(16)}-01`;
  }
}
