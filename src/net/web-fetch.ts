// A WHATWG `fetch` over guarded connections, for clients that bring their own protocol: bodies stream both ways, there is
// no limit on the whole time, and what the other side decides is limited all the same.
import { Readable } from 'node:stream';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import type { Dispatcher } from 'undici';
import { EventSizes } from './event-sizes.js';
import { asFetchError, FetchError } from './fetch-error.js';
import { checkEncoding, checkStatus } from './guarded-answer.js';

export interface StreamLimits {
  /** Milliseconds until the answer's headers. */
  headersMs: number;
  /** Milliseconds between two pieces of the answer's body. */
  idleMs: number;
  /** Bytes of the answer's body; of one event, when it is a stream of server-sent events. */
  maxBytes: number;
}

/** Finds the client for a URL. Throws FetchError. */
type Dial = (url: string) => Promise<{ agent: Dispatcher; origin: string; path: string }>;

/** Statuses whose answers have no body (Fetch standard). */
const BODILESS = new Set([204, 205, 304]);

/**
 * Rejects as `fetch` does: with the signal's reason when aborted, else with a TypeError `fetch failed` whose cause is a
 * FetchError. Redirects fail whatever `redirect` says; a `dispatcher` in the options is ignored.
 */
export function webFetch(dial: Dial, limits: StreamLimits): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const { signal } = request;
    try {
      const { agent, origin, path } = await dial(request.url);
      const answer = await agent.request({
        origin,
        path,
        method: request.method as Dispatcher.HttpMethod,
        headers: headersOf(request),
        body: await bodyOf(request, input, init),
        signal,
        headersTimeout: limits.headersMs,
        bodyTimeout: limits.idleMs,
      });
      checkStatus(answer);
      checkEncoding(answer);
      return responseOf(answer, request, limits.maxBytes);
    } catch (error) {
      throw failureOf(error, signal);
    }
  };
}

function headersOf(request: Request): Record<string, string> {
  const headers = { 'user-agent': 'a2a-switchboard', ...Object.fromEntries(request.headers) };
  return { ...headers, 'accept-encoding': 'identity' };
}

/** What is no stream is sent with its length: not every server takes chunked bodies. */
async function bodyOf(
  request: Request,
  input: unknown,
  init: RequestInit | undefined,
): Promise<Readable | Buffer | null> {
  if (!request.body) return null;
  const streams = init?.body instanceof ReadableStream || (init?.body == null && input instanceof Request);
  return streams ? Readable.fromWeb(request.body as NodeStream) : Buffer.from(await request.arrayBuffer());
}

function responseOf(answer: Dispatcher.ResponseData, request: Request, maxBytes: number): Response {
  const { statusCode: status, body } = answer;
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) {
    for (const one of [value ?? []].flat()) headers.append(name, one);
  }
  const bodiless = BODILESS.has(status) || request.method === 'HEAD';
  if (bodiless) void body.dump().catch(() => undefined);
  try {
    const stream = bodiless ? null : limited(answer, request.signal, maxBytes);
    const response = new Response(stream, { status, headers });
    return Object.defineProperty(response, 'url', { value: request.url });
  } catch (error) {
    body.destroy();
    // E.g. a status that no `Response` may have.
    throw new FetchError('bad-answer', status, { cause: error });
  }
}

/** The body, with whatever goes wrong while it is read told as `fetch` does. */
function limited(
  { headers, body, statusCode: status }: Dispatcher.ResponseData,
  signal: AbortSignal,
  maxBytes: number,
): ReadableStream<Uint8Array> {
  const events = /^text\/event-stream\b/i.test(String(headers['content-type'])) ? new EventSizes() : undefined;
  const pieces = (body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  let size = 0;
  const source = {
    async pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      try {
        const { done, value } = await pieces.next();
        if (done === true) return controller.close();
        size += value.length;
        if ((events ? events.add(value) : size) > maxBytes) throw new FetchError('too-large', status);
        controller.enqueue(value);
      } catch (error) {
        body.destroy();
        throw failureOf(error, signal);
      }
    },
    cancel: () => void body.destroy(),
  };
  // Nothing is read ahead of the reader.
  return new ReadableStream(source, { highWaterMark: 0 });
}

function failureOf(error: unknown, signal: AbortSignal): unknown {
  return signal.aborted ? signal.reason : new TypeError('fetch failed', { cause: asFetchError(error) });
}
