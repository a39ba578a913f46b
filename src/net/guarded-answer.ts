// The answer to a bounded request: its body is taken whole, up to a limit, or let go of.
import type { Dispatcher } from 'undici';
import { FetchError } from './fetch-error.js';
import type { Patience } from './patience.js';

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

/** A body that nobody wants is read up to here, so that its connection can be used again. */
const DISCARD_BYTES = 64 * 1024;
const NOT_MODIFIED = 304;

/** Throws FetchError for a redirect. */
export function checkStatus({ statusCode: status, body }: Dispatcher.ResponseData): void {
  // Nobody may be listening when the other side breaks off; whoever reads hears it from the reading.
  body.on('error', () => undefined);
  if (status < 300 || status >= 400 || status === NOT_MODIFIED) return;
  body.destroy();
  throw new FetchError('redirect', status);
}

/**
 * Before a body is read. Throws FetchError for an encoding that nobody asked for: as nothing is ever unpacked, no small
 * body becomes a large one.
 */
export function checkEncoding({ statusCode: status, headers, body }: Dispatcher.ResponseData): void {
  const encoding = headers['content-encoding'];
  if (encoding === undefined || encoding === 'identity') return;
  body.destroy();
  throw new FetchError('bad-answer', status);
}

/** Throws FetchError. */
export function boundedAnswer(answer: Dispatcher.ResponseData, patience: Patience, maxBytes: number): GuardedAnswer {
  checkStatus(answer);
  const { statusCode: status, body } = answer;
  const headers = plainHeaders(answer.headers);
  return {
    status,
    headers,
    async bytes() {
      try {
        if (Number(headers['content-length'] ?? 0) > maxBytes) throw new FetchError('too-large', status);
        checkEncoding(answer);
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
