// A listener for programs on this machine that the switchboard itself has started: loopback only, a free port, and
// requests that name another host are turned away, so that no web page can reach it by way of a name.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type LoopbackRequest = IncomingMessage;
export type LoopbackResponse = ServerResponse;

export interface LoopbackListener {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Ends open requests too. */
  close(): Promise<void>;
}

/** Listens until it is closed; does not keep the process alive. */
export async function listenOnLoopback(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<LoopbackListener> {
  let host = '';
  const server = createServer((request, response) => {
    // A page in a browser sends an origin; a program that was given this address does not.
    if (request.headers.host === host && request.headers.origin === undefined) return handle(request, response);
    response.writeHead(403).end();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
  server.unref();
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: `http://${host}`, close: () => closed(server) };
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
