// The only outbound HTTP of the product: every address checked when it is dialled, no redirects, no proxies, https unless
// the operator listed the target, and a limit on everything that the other side decides.
import { isIP } from 'node:net';
import type { Dispatcher } from 'undici';
import type { Clock } from '../clock.js';
import { AddressRules, type Protocol } from './address-rules.js';
import { asFetchError, FetchError } from './fetch-error.js';
import { bareHost, guardedAgent } from './guarded-agent.js';
import { nameResolver, type ResolveName } from './resolve-name.js';

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

/** An answer of any status but a redirect. Its body must be taken or discarded. */
export interface GuardedAnswer {
  status: number;
  /** Names in lower case; repeated ones joined by `, `. */
  headers: Readonly<Record<string, string>>;
  /** The whole body. Throws FetchError, `too-large` before anything is read where the length is declared. */
  bytes(): Promise<Buffer>;
  /** Lets go of the body. Never throws. */
  discard(): Promise<void>;
}

/** What a way out is for. */
export interface FetchPolicy {
  /** One word for the log. */
  purpose: string;
  /** The target was configured by the operator or a workspace's owner, so it may be private and speak http. */
  trusted: boolean;
}

export interface GuardedFetch {
  /** What speaks against this URL by itself, as the end of a sentence about it; undefined when nothing does. */
  urlProblem(url: string): string | undefined;
  /** Like `urlProblem`, and also looks up the name. One that can't be resolved now passes: it is checked when used. */
  checkUrl(url: string): Promise<string | undefined>;
  /**
   * A `fetch` for libraries that bring their own protocol: its answer streams and its times are the library's matter.
   * Everything else holds for it as for `fetch`; a redirect is a failure.
   */
  openFetch(policy: FetchPolicy): typeof globalThis.fetch;
  /** Throws FetchError. */
  fetch(url: string, request?: GuardedRequest): Promise<GuardedAnswer>;
  /** Breaks all connections. */
  close(): Promise<void>;
}

export interface GuardedFetchDeps {
  /** Hosts, addresses, ranges or `*` that may be reached although private, also over http. */
  allowPrivate: readonly string[];
  clock: Pick<Clock, 'after'>;
  /** The name service; the system's when absent. */
  resolve?: ResolveName;
}

const LIMITS = { connectMs: 5_000, headersMs: 20_000, idleBodyMs: 10_000 };
/** Whoever reads a stream decides how long is too long. */
const OPEN_LIMITS = { connectMs: 5_000, headersMs: 0, idleBodyMs: 0 };
const TRUSTED = new AddressRules(['*']);
const TOTAL_MS = 30_000;
const MAX_BYTES = 1024 * 1024;
/** How long the check of a new URL waits for the name service. */
const CHECK_MS = 2_000;
/** A body that nobody wants is read up to here, so that its connection can be used again. */
const DISCARD_BYTES = 64 * 1024;
const NOT_MODIFIED = 304;
const PRIVATE = 'must not lead to a private address';

export function createGuardedFetch(deps: GuardedFetchDeps): GuardedFetch {
  return new UndiciFetch(deps);
}

interface Target {
  protocol: Protocol;
  /** Without brackets. */
  host: string;
  origin: string;
  path: string;
}

class UndiciFetch implements GuardedFetch {
  private readonly rules: AddressRules;
  private readonly resolve: ResolveName;
  /** Made when first needed. */
  private agent: Promise<Dispatcher> | undefined;
  private readonly trusted: { value?: Promise<Dispatcher> } = {};
  private readonly streaming: { value?: Promise<Dispatcher> } = {};

  constructor(private readonly deps: GuardedFetchDeps) {
    this.rules = new AddressRules(deps.allowPrivate);
    this.resolve = deps.resolve ?? nameResolver(deps.allowPrivate.length > 0);
  }

  urlProblem(url: string): string | undefined {
    const target = this.read(url);
    return typeof target === 'string' ? target : undefined;
  }

  async checkUrl(url: string): Promise<string | undefined> {
    const target = this.read(url);
    if (typeof target === 'string') return target;
    const { protocol, host } = target;
    if (isIP(host) !== 0) return undefined;
    let stop = (): void => undefined;
    const late = new Promise<string[]>((resolve) => {
      stop = this.deps.clock.after(CHECK_MS, () => resolve([]));
    });
    const addresses = await Promise.race([this.resolve(host).catch(() => []), late]);
    stop();
    const usable = addresses.length === 0 || addresses.some((address) => this.rules.mayDial(protocol, host, address));
    return usable ? undefined : PRIVATE;
  }

  async fetch(url: string, request: GuardedRequest = {}): Promise<GuardedAnswer> {
    const target = this.read(url);
    if (typeof target === 'string') throw new FetchError(target === PRIVATE ? 'not-allowed' : 'bad-url');
    const patience = new Patience(this.deps.clock, request.timeoutMs ?? TOTAL_MS, request.signal);
    try {
      const { origin, path } = target;
      this.agent ??= guardedAgent(this.rules, this.resolve, LIMITS);
      const agent = await this.agent;
      const answer = await agent.request({
        origin,
        path,
        method: request.method ?? 'GET',
        headers: { 'accept-encoding': 'identity', 'user-agent': 'a2a-switchboard', ...request.headers },
        ...(request.body !== undefined && { body: request.body }),
        signal: patience.signal,
      });
      return received(answer, patience, request.maxBytes ?? MAX_BYTES);
    } catch (error) {
      throw patience.explain(error);
    }
  }

  openFetch({ trusted }: FetchPolicy): typeof globalThis.fetch {
    const rules = trusted ? TRUSTED : this.rules;
    return (async (url: string, init?: RequestInit) => {
      const { fetch } = await import('undici');
      const agents = trusted ? this.trusted : this.streaming;
      agents.value ??= guardedAgent(rules, trusted ? nameResolver(true) : this.resolve, OPEN_LIMITS);
      const dispatcher = await agents.value;
      return fetch(url, { ...(init as object), redirect: 'error', dispatcher });
    }) as unknown as typeof globalThis.fetch;
  }

  async close(): Promise<void> {
    for (const { value } of [this.trusted, this.streaming]) await (await value)?.destroy();
    await (await this.agent)?.destroy();
  }

  /** The URL's parts, or what is wrong with it. */
  private read(url: string): Target | string {
    const parsed = URL.canParse(url) ? new URL(url) : undefined;
    const protocol = parsed?.protocol;
    if (!parsed || (protocol !== 'http:' && protocol !== 'https:')) return 'must be an absolute https URL';
    if (parsed.username !== '' || parsed.password !== '') return 'must not hold a user or a password';
    const host = bareHost(parsed.hostname);
    if (isIP(host) !== 0) {
      if (!this.rules.mayDial(protocol, host, host)) {
        return protocol === 'http:' && this.rules.mayDial('https:', host, host) ? 'must be an https URL' : PRIVATE;
      }
    } else if (protocol === 'http:' && !this.rules.allowsHost(host) && !this.rules.listsAddresses) {
      return 'must be an https URL';
    }
    return { protocol, host, origin: parsed.origin, path: parsed.pathname + parsed.search };
  }
}

/** How long one request may take, and why it was broken off. */
class Patience {
  private readonly controller = new AbortController();
  private readonly stop: () => void;
  private late = false;

  constructor(
    clock: Pick<Clock, 'after'>,
    ms: number,
    private readonly outer: AbortSignal | undefined,
  ) {
    this.stop = clock.after(ms, () => {
      this.late = true;
      this.controller.abort();
    });
    outer?.addEventListener('abort', this.giveUp, { once: true });
    if (outer?.aborted) this.giveUp();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  end(): void {
    this.stop();
    this.outer?.removeEventListener('abort', this.giveUp);
  }

  /** Ends it and says why the request failed. */
  explain(error: unknown): FetchError {
    this.end();
    if (this.late) return new FetchError('timeout', undefined, { cause: error });
    if (this.outer?.aborted) return new FetchError('aborted', undefined, { cause: error });
    return asFetchError(error);
  }

  private readonly giveUp = (): void => this.controller.abort();
}

function received(answer: Dispatcher.ResponseData, patience: Patience, maxBytes: number): GuardedAnswer {
  const { statusCode: status, body } = answer;
  const headers = plainHeaders(answer.headers);
  // Nobody may be listening when the other side breaks off; whoever reads hears it from the reading.
  body.on('error', () => undefined);
  if (status >= 300 && status < 400 && status !== NOT_MODIFIED) {
    body.destroy();
    throw new FetchError('redirect', status);
  }
  return {
    status,
    headers,
    async bytes() {
      try {
        if (Number(headers['content-length'] ?? 0) > maxBytes) throw new FetchError('too-large', status);
        const encoding = headers['content-encoding'];
        if (encoding !== undefined && encoding !== 'identity') throw new FetchError('bad-answer', status);
        const chunks: Buffer[] = [];
        let size = 0;
        for await (const chunk of body as AsyncIterable<Buffer>) {
          size += chunk.length;
          if (size > maxBytes) throw new FetchError('too-large', status);
          chunks.push(chunk);
        }
        return Buffer.concat(chunks);
      } catch (error) {
        body.destroy();
        throw patience.explain(error);
      } finally {
        patience.end();
      }
    },
    async discard() {
      await body.dump({ limit: DISCARD_BYTES }).catch(() => undefined);
      patience.end();
    },
  };
}

function plainHeaders(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  const entries = Object.entries(headers).filter(
    (entry): entry is [string, string | string[]] => entry[1] !== undefined,
  );
  return Object.fromEntries(entries.map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]));
}
