// The only outbound HTTP of the product: every address checked when it is dialled, no redirects, no proxies, https unless
// the target is listed or trusted and private, and a limit on everything that the other side decides.
import { isIP } from 'node:net';
import type { Agent } from 'undici';
import type { Clock } from '../clock.js';
import { AddressRules } from './address-rules.js';
import { asFetchError, FetchError } from './fetch-error.js';
import type { FetchPolicy } from './fetch-policy.js';
import { checkedAddresses, guardedAgent } from './guarded-agent.js';
import { boundedAnswer, type GuardedAnswer } from './guarded-answer.js';
import { Patience } from './patience.js';
import { addressesProblem, PRIVATE, readTarget, type Target } from './read-target.js';
import { nameResolver, type ResolveName } from './resolve-name.js';
import { webFetch, type StreamLimits } from './web-fetch.js';

export type { GuardedAnswer };

export interface GuardedRequest {
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  signal?: AbortSignal;
  /** Milliseconds for everything, the answer's body included; 30 s when absent. */
  timeoutMs?: number;
  /** Bytes of the answer's body that `bytes` takes; 1 MiB when absent. */
  maxBytes?: number;
}

export interface GuardedFetch {
  /** What speaks against this URL by itself, as the end of a sentence about it; undefined when nothing does. */
  urlProblem(policy: FetchPolicy, url: string): string | undefined;
  /** Like `urlProblem`, and also looks up the name. One that can't be resolved now passes: it is checked when used. */
  checkUrl(policy: FetchPolicy, url: string): Promise<string | undefined>;
  /** One request with an answer of limited size, in limited time. Throws FetchError. */
  request(policy: FetchPolicy, url: string, request?: GuardedRequest): Promise<GuardedAnswer>;
  /**
   * A WHATWG `fetch` that streams: 5 minutes for headers, 5 between two pieces of a body, 64 MiB a body or a server-sent
   * event, when `limits` says nothing else. See `webFetch` for how it fails.
   */
  fetch(policy: FetchPolicy, limits?: Partial<StreamLimits>): typeof fetch;
  /**
   * The addresses to dial for this URL, for clients that make connections of their own: these, and no name, may be handed
   * to them. `http:` stands for a connection without TLS. Throws FetchError.
   */
  checkedAddresses(policy: FetchPolicy, url: string): Promise<string[]>;
  /** Breaks all connections. */
  close(): Promise<void>;
}

interface GuardedFetchDeps {
  /** Hosts, addresses, ranges or `*` that may be reached although private, also over http. */
  allowPrivate: readonly string[];
  clock: Pick<Clock, 'after'>;
  /** The name service; the system's when absent. */
  resolve?: ResolveName;
}

const CONNECT_MS = 5_000;
const BOUNDED = { headersTimeout: 20_000, bodyTimeout: 10_000 };
const TOTAL_MS = 30_000;
const MAX_BYTES = 1024 * 1024;
const STREAM: StreamLimits = { headersMs: 300_000, idleMs: 300_000, maxBytes: 64 * 1024 * 1024 };
/** How long the check of a new URL waits for the name service. */
const CHECK_MS = 2_000;

export function createGuardedFetch(deps: GuardedFetchDeps): GuardedFetch {
  return new UndiciFetch(deps);
}

class UndiciFetch implements GuardedFetch {
  private readonly rules: AddressRules;
  /** By trust; made when first needed. */
  private readonly agents = new Map<boolean, Promise<Agent>>();
  private readonly resolvers: Record<'trusted' | 'strange', ResolveName>;

  constructor(private readonly deps: GuardedFetchDeps) {
    this.rules = new AddressRules(deps.allowPrivate);
    this.resolvers = {
      trusted: deps.resolve ?? nameResolver(true),
      strange: deps.resolve ?? nameResolver(deps.allowPrivate.length > 0),
    };
  }

  urlProblem(policy: FetchPolicy, url: string): string | undefined {
    const target = readTarget(this.rules, policy, url);
    return typeof target === 'string' ? target : undefined;
  }

  async checkUrl(policy: FetchPolicy, url: string): Promise<string | undefined> {
    const target = readTarget(this.rules, policy, url);
    if (typeof target === 'string') return target;
    if (isIP(target.host) !== 0) return undefined;
    let stop = (): void => undefined;
    const late = new Promise<string[]>((resolve) => {
      stop = this.deps.clock.after(CHECK_MS, () => resolve([]));
    });
    const addresses = await Promise.race([this.resolver(target.trusted)(target.host).catch(() => []), late]);
    stop();
    return addresses.length === 0 ? undefined : addressesProblem(this.rules, target, addresses);
  }

  async request(policy: FetchPolicy, url: string, request: GuardedRequest = {}): Promise<GuardedAnswer> {
    const { origin, path, trusted } = this.target(policy, url);
    const patience = new Patience(this.deps.clock, request.timeoutMs ?? TOTAL_MS, request.signal);
    try {
      const agent = await this.agent(trusted);
      const answer = await agent.request({
        origin,
        path,
        method: request.method ?? 'GET',
        headers: { 'accept-encoding': 'identity', 'user-agent': 'a2a-switchboard', ...request.headers },
        ...(request.body !== undefined && { body: request.body }),
        signal: patience.signal,
        ...BOUNDED,
      });
      return boundedAnswer(answer, patience, request.maxBytes ?? MAX_BYTES);
    } catch (error) {
      throw patience.explain(error);
    }
  }

  fetch(policy: FetchPolicy, limits: Partial<StreamLimits> = {}): typeof fetch {
    const dial = async (url: string): Promise<{ agent: Agent; origin: string; path: string }> => {
      const { origin, path, trusted } = this.target(policy, url);
      return { agent: await this.agent(trusted), origin, path };
    };
    return webFetch(dial, { ...STREAM, ...limits });
  }

  async checkedAddresses(policy: FetchPolicy, url: string): Promise<string[]> {
    const target = this.target(policy, url);
    const { trusted } = target;
    try {
      return await checkedAddresses({ rules: this.rules, resolve: this.resolver(trusted), trusted }, target);
    } catch (error) {
      throw asFetchError(error);
    }
  }

  async close(): Promise<void> {
    for (const agent of this.agents.values()) await (await agent).destroy();
  }

  /** Throws FetchError. */
  private target(policy: FetchPolicy, url: string): Target {
    const target = readTarget(this.rules, policy, url);
    if (typeof target !== 'string') return target;
    throw new FetchError(target === PRIVATE ? 'not-allowed' : 'bad-url');
  }

  private resolver(trusted: boolean): ResolveName {
    return this.resolvers[trusted ? 'trusted' : 'strange'];
  }

  private agent(trusted: boolean): Promise<Agent> {
    const known = this.agents.get(trusted);
    if (known) return known;
    const { rules } = this;
    const made = guardedAgent({ rules, resolve: this.resolver(trusted), trusted, connectMs: CONNECT_MS });
    this.agents.set(trusted, made);
    return made;
  }
}
