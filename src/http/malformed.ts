// Answers what is not even HTTP, and therefore never reaches express: still in the shape of the surface it was meant for.
import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { AppError } from '../errors.js';
import { errorAnswer, shapeOfPath } from './error-bodies.js';
import type { Headers } from './security-headers.js';

type ClientError = NodeJS.ErrnoException & { rawPacket?: Buffer };

const REFUSALS: Readonly<Record<string, [status: number, reason: string, text: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'The header fields are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'The request did not come in time.'],
};

/** For the server's `clientError`; `headers` go with every answer. */
export const answerMalformed =
  (headers: Headers) =>
  (error: ClientError, socket: Duplex): void => {
    // Once an answer is on its way nothing else fits behind it.
    const answering = (socket as { _httpMessage?: { headersSent?: boolean } })._httpMessage?.headersSent === true;
    if (error.code === 'ECONNRESET' || !socket.writable || answering) {
      socket.destroy();
      return;
    }
    const [status, reason, text] = REFUSALS[error.code ?? ''] ?? [
      400,
      'Bad Request',
      'This is not a valid HTTP request.',
    ];
    const refusal = new AppError('invalid-request', text);
    const { type, body } = errorAnswer(shapeOfPath(addressedPath(error.rawPacket)), refusal, null, status);
    const json = JSON.stringify(body);
    const head = [
      `HTTP/1.1 ${status} ${reason}`,
      'Connection: close',
      `Content-Type: ${type}`,
      `Content-Length: ${Buffer.byteLength(json)}`,
      `X-Request-Id: ${randomUUID()}`,
      ...headers.map(([name, value]) => `${name}: ${value}`),
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${json}`);
  };

/** The path of the request line, as far as the packet in which the reading failed holds one. */
function addressedPath(packet: Buffer | undefined): string {
  const line = packet?.subarray(0, 2048).toString('latin1') ?? '';
  return /^[A-Z]+ ([^ ?]+)/.exec(line)?.[1] ?? '/';
}
