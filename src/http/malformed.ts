// Answers what is not even HTTP, and therefore never reaches express: still in the shape of the surface it was meant for.
import type { Socket } from 'node:net';
import { AppError } from '../errors.js';
import { errorAnswer, shapeOfPath } from './error-bodies.js';

/** For the server's `clientError`. */
export function answerMalformed(error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const overflow = error.code === 'HPE_HEADER_OVERFLOW';
  const status = overflow ? 431 : 400;
  const text = overflow ? 'The header fields are too large.' : 'This is not a valid HTTP request.';
  const refusal = new AppError('invalid-request', text);
  const { type, body } = errorAnswer(shapeOfPath(addressedPath(error.rawPacket)), refusal, null, status);
  const json = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${status} ${overflow ? 'Request Header Fields Too Large' : 'Bad Request'}`,
    'Connection: close',
    `Content-Type: ${type}`,
    `Content-Length: ${Buffer.byteLength(json)}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${json}`);
}

/** The path of the request line, as far as the packet in which the reading failed holds one. */
function addressedPath(packet: Buffer | undefined): string {
  const line = packet?.subarray(0, 2048).toString('latin1') ?? '';
  return /^[A-Z]+ ([^ ?]+)/.exec(line)?.[1] ?? '/';
}
