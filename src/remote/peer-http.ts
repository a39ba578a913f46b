// HTTP to one agent: the key where it belongs and nowhere else, a limit on time by the injected clock, and whatever fails
// told as a RemoteError.
import { parseStrict } from '../strict-json.js';
import type { Clock } from '../clock.js';
import type { GuardedFetch } from '../net/guarded-fetch.js';
import type { Credentials } from './credentials.js';
import { EventLines, type ServerEvent } from './event-lines.js';
import type { PeerFaults } from './peer-faults.js';
import { RequestPatience } from './request-patience.js';
import type { Answer } from './read-answer.js';

export interface HttpRequest {
  method: 'GET' | 'POST' | 'DELETE';
  url: string;
  headers?: Record<string, string>;
  body?: string;
  signal?: AbortSignal;
  /** Milliseconds for the whole answer, or for each silence of a stream; no limit when absent. */
  timeoutMs?: number;
  /** The time is that of silence, for large answers. */
  idle?: boolean;
  /** Milliseconds for the whole answer, where the time is that of silence. */
  wholeMs?: number;
  maxBytes?: number;
}

export interface HttpAnswer {
  status: number;
  headers: Headers;
  bytes: Buffer;
}

interface PeerHttpDeps {
  net: Pick<GuardedFetch, 'fetch'>;
  clock: Clock;
  faults: PeerFaults;
  credentials: Credentials;
  /** The configured address: its host may be private. */
  url: string;
  /** Told which extensions were asked for and which of them are in force, for each answer that is no error. */
  extensions?(asked: string, inForce: string): void;
}

/** Time is limited here, by the injected clock; the client's own limit stands far behind. */
const FAR_MS = 86_400_000;
const MAX_BYTES = 64 * 1024 * 1024;
const EXTENSIONS = 'A2A-Extensions';

export class PeerHttp {
  constructor(private readonly deps: PeerHttpDeps) {}

  /** One request and its whole answer, of any status. Throws RemoteError. */
  async ask(request: HttpRequest): Promise<HttpAnswer> {
    const patience = this.patience(request);
    try {
      const answer = await this.send(request, patience);
      return {
        status: answer.status,
        headers: answer.headers,
        bytes: await this.bytes(answer, patience, request.idle),
      };
    } finally {
      patience.end();
    }
  }

  /**
   * A request whose answer is a stream of events. What is no stream, `whole` decides about: it throws, or tells the one
   * event that there is. Throws RemoteError.
   */
  async *events(request: HttpRequest, whole: (answer: HttpAnswer) => string): AsyncGenerator<ServerEvent> {
    const patience = this.patience(request);
    try {
      const answer = await this.send(
        { ...request, headers: { ...request.headers, accept: 'text/event-stream' } },
        patience,
      );
      patience.heard();
      if (!answer.ok || !/^text\/event-stream\b/i.test(answer.headers.get('content-type') ?? '')) {
        const bytes = await this.bytes(answer, patience);
        yield { type: 'message', data: whole({ status: answer.status, headers: answer.headers, bytes }) };
        return;
      }
      const lines = new EventLines();
      for await (const chunk of this.chunks(answer, patience)) {
        patience.heard();
        // While a reader is slow, the peer is not silent.
        patience.pause();
        yield* lines.add(chunk);
        patience.heard();
      }
      patience.pause();
      yield* lines.end();
    } finally {
      patience.end();
    }
  }

  /** The answer's JSON. Throws RemoteError for a web page and whatever else is none. */
  json({ bytes, headers }: Pick<HttpAnswer, 'bytes' | 'headers'>): Answer {
    if (/^text\/html\b/i.test(headers.get('content-type') ?? '')) throw this.deps.faults.broken('sent a web page');
    return this.parse(bytes);
  }

  /** JSON as it came. Throws RemoteError. */
  parse(bytes: Buffer): Answer {
    try {
      const { value, refusal } = parseStrict(this.deps.credentials.redactBytes(bytes));
      return { value, unread: refusal ? ['numbers or repeated names that JSON can not carry exactly'] : [] };
    } catch (error) {
      throw this.deps.faults.broken('sent something that is not JSON', error);
    }
  }

  /** Sends it with the key, to the next place that the card names when the first is not taken. */
  private async send(request: HttpRequest, patience: RequestPatience): Promise<Response> {
    const { net, faults, credentials } = this.deps;
    const policy = { purpose: 'remote-agent', trusted: true, host: new URL(this.deps.url).hostname } as const;
    const limits = { headersMs: FAR_MS, idleMs: FAR_MS, maxBytes: request.maxBytes ?? MAX_BYTES };
    const dial = net.fetch(policy, limits);
    for (;;) {
      const { url, headers, place } = credentials.apply(request.url, request.headers ?? {});
      try {
        const { method, body } = request;
        const answer = await dial(url, {
          method,
          headers,
          ...(body !== undefined && { body }),
          signal: patience.signal,
        });
        if (answer.ok) this.tellExtensions(request.headers ?? {}, answer.headers);
        if (answer.status !== 401 || !credentials.tryNext(place)) return answer;
        await answer.body?.cancel();
      } catch (error) {
        throw patience.reason() ?? faults.transport(error);
      }
    }
  }

  private tellExtensions(sent: Record<string, string>, got: Headers): void {
    const asked = sent[EXTENSIONS];
    if (asked !== undefined) this.deps.extensions?.(asked, got.get(EXTENSIONS) ?? '');
  }

  private async bytes(answer: Response, patience: RequestPatience, idle = false): Promise<Buffer> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.chunks(answer, patience)) {
      if (idle) patience.heard();
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }

  private async *chunks(answer: Response, patience: RequestPatience): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>) yield chunk;
    } catch (error) {
      throw patience.reason() ?? this.deps.faults.transport(error, true);
    }
  }

  private patience({ signal, timeoutMs, wholeMs }: HttpRequest): RequestPatience {
    if (signal?.aborted) throw this.deps.faults.aborted();
    return new RequestPatience(this.deps.clock, this.deps.faults, signal, timeoutMs, wholeMs);
  }
}
