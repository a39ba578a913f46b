// Where notices to owners arrive in tests: a webhook on loopback.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface NoticeReceiver {
  url: string;
  /** The next post that was accepted. */
  next(): Promise<unknown>;
  /** Answers the next post with 503. */
  failNext(): void;
  stop(): Promise<void>;
}

export async function startReceiver(): Promise<NoticeReceiver> {
  const arrived: unknown[] = [];
  const waiting: ((body: unknown) => void)[] = [];
  let failures = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (failures > 0) {
        failures -= 1;
        response.writeHead(503).end();
        return;
      }
      response.writeHead(204).end();
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
      const waiter = waiting.shift();
      if (waiter) waiter(body);
      else arrived.push(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/services/T0/secret-path`,
    next: () =>
      arrived.length > 0 ? Promise.resolve(arrived.shift()) : new Promise((resolve) => waiting.push(resolve)),
    failNext: () => void (failures += 1),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
