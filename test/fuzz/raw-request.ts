// One HTTP request exactly as written, and its whole answer. Nothing is normalised on the way out.
import { request, type Agent } from 'node:http';

export interface RawRequest {
  method: string;
  /** As it goes onto the wire, query included. */
  path: string;
  headers: Record<string, string>;
  body?: Buffer;
}

export interface RawAnswer {
  status: number;
  type: string;
  headers: NodeJS.Dict<string | string[]>;
  text: string;
  /** True when it was a stream that went on and was left. */
  left: boolean;
}

/** Streams are read until the first event and a little longer; anything else must end in time. */
const STREAM_MS = 100;
const ANSWER_MS = 15_000;

/** Throws when no answer comes: the connection broke, or nothing came in time. */
export function ask(port: number, agent: Agent, { method, path, headers, body }: RawRequest): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    // Without it Node sends a GET's body as if it were the next request.
    const length = body === undefined ? {} : { 'Content-Length': String(body.length) };
    const outgoing = request({ host: '127.0.0.1', port, agent, method, path, headers: { ...headers, ...length } });
    const late = setTimeout(() => outgoing.destroy(new Error(`no answer within ${ANSWER_MS} ms`)), ANSWER_MS);
    outgoing.on('response', (incoming) => {
      const chunks: Buffer[] = [];
      const type = incoming.headers['content-type'] ?? '';
      const finish = (left: boolean): void => {
        clearTimeout(late);
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ status: incoming.statusCode ?? 0, type, headers: incoming.headers, text, left });
      };
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => finish(false));
      incoming.on('error', reject);
      if (!type.startsWith('text/event-stream')) return;
      setTimeout(() => {
        if (incoming.complete) return;
        finish(true);
        outgoing.destroy();
      }, STREAM_MS);
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(late);
      reject(error);
    });
    outgoing.end(body);
  });
}
