// The HTTP server: mounted routers in order, then JSON for whatever they leave over. No answer is HTML, none shows a
// stack, and closing lets what runs come to its end.
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import express, { type ErrorRequestHandler, type Express, type Router } from 'express';
import type { Clock } from '../clock.js';
import type { Config } from '../config.js';
import { AppError } from '../errors.js';
import type { Logger } from '../log.js';
import { cors } from './cors.js';
import type { ErrorWriter } from './door.js';
import { createErrorWriters, type ErrorWriters } from './error-writers.js';
import { cutOffStalledReaders } from './slow-readers.js';

export interface HttpServer {
  /** The express application, for a host that mounts it instead of listening. */
  readonly app: Express;
  /** Adds routes; earlier ones win. Possible at any time. */
  mount(path: string, router: Router): void;
  /** Resolves with the real port once connections are accepted. */
  listen(host: string, port: number): Promise<{ host: string; port: number }>;
  /**
   * Accepts no more connections, ends idle ones, and resolves when the last request is answered. After `graceMs` what
   * is left is cut off. Streams must be told to end by whoever owns them.
   */
  close(graceMs?: number): Promise<void>;
}

export interface HttpServerDeps {
  config: Pick<Config, 'corsOrigins' | 'trustedProxies'>;
  log: Logger;
  clock: Clock;
  /** Milliseconds that a finished answer waits for a reader that takes nothing of it; half a minute when absent. */
  stallMs?: number;
}

/** A server that does not listen yet. */
export function createHttpServer({ config, log, clock, stallMs }: HttpServerDeps): HttpServer {
  const writers = createErrorWriters(log);
  const app = express();
  app.disable('x-powered-by');
  // Bodies are live data: hashing each one for a conditional GET that nobody makes is wasted.
  app.disable('etag');
  app.set('trust proxy', config.trustedProxies);
  app.use(cutOffStalledReaders(stallMs));
  if (config.corsOrigins.length > 0) app.use(cors(config.corsOrigins));
  const routes = express.Router();
  app.use(routes);
  app.use((req, res) => {
    writerFor(req.path, writers)(new AppError('not-found', 'There is nothing at this address.'), req, res);
  });
  const lastResort: ErrorRequestHandler = (error: unknown, req, res, _next) => {
    const shown = asRequestError(error);
    // Such an address belongs to no call, so JSON-RPC's "200 and an error" does not fit either.
    if (shown !== error) res.statusCode = 400;
    writerFor(req.path, writers)(shown, req, res);
  };
  app.use(lastResort);

  const server = createServer(app);
  // Longer than the 60 s after which proxies drop idle connections: the proxy, not the server, must be the one to close.
  server.keepAliveTimeout = 75_000;
  server.headersTimeout = 80_000;
  server.on('clientError', answerMalformed);

  return {
    app,
    mount: (path, router) => void routes.use(path, router),
    listen: (host, port) => listen(server, host, port),
    close: (graceMs = 10_000) =>
      new Promise((resolve) => {
        const cancel = clock.after(graceMs, () => server.closeAllConnections());
        // What finishes from now on is not kept alive.
        server.keepAliveTimeout = 1;
        server.close(() => {
          cancel();
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}

function listen(server: Server, host: string, port: number): Promise<{ host: string; port: number }> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address() as AddressInfo;
      resolve({ host: address.address, port: address.port });
    });
  });
}

const RPC_PATH = /^\/(?:a2a|agents\/[^/]+\/a2a)\/?$/;
const REST_PATH = /^\/(?:a2a|agents)(?:\/|$)/;

/** Which surface an address belongs to, for errors that no route has claimed. */
function writerFor(path: string, writers: ErrorWriters): ErrorWriter {
  if (RPC_PATH.test(path)) return writers.jsonRpc;
  return REST_PATH.test(path) ? writers.rest : writers.operator;
}

/** Express marks what the client did wrong (a bad percent-encoding, say) with a 4xx status. */
function asRequestError(error: unknown): unknown {
  const status = (error as { status?: unknown } | null | undefined)?.status;
  if (error instanceof AppError || typeof status !== 'number' || status < 400 || status >= 500) return error;
  return new AppError(
    'invalid-request',
    error instanceof URIError ? 'The address is not properly encoded.' : 'Bad request.',
  );
}

/** What is not even HTTP never reaches express. */
function answerMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
  const body = JSON.stringify({ error: { code: 'invalid-request', message: 'This is not a valid HTTP request.' } });
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
}
