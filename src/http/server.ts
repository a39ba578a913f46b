// The HTTP server: mounted routers in order, then JSON for whatever they leave over. No answer is HTML, none shows a
// stack, and closing lets what runs come to its end.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler, type Express, type Router } from 'express';
import type { Clock } from '../clock.js';
import type { Config } from '../config.js';
import { AppError } from '../errors.js';
import type { Logger } from '../log.js';
import { continueWhenRead } from './continue-when-read.js';
import { cors } from './cors.js';
import { shapeOfPath } from './error-bodies.js';
import { createErrorWriters } from './error-writers.js';
import { answerMalformed } from './malformed.js';
import type { Metrics } from './metrics.js';
import { meterRequests } from './meter-requests.js';
import { connectionLimit, openFilesLimit } from './connection-limit.js';
import { asRequestError } from './request-error.js';
import { requestIds } from './request-id.js';
import { securityHeaders, setHeaders } from './security-headers.js';
import { singleHeaders } from './single-headers.js';
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

/** What stands in `app.locals.mounts`, in order, so that everything that is served can be listed. */
export interface Mount {
  path: string;
  router: Router;
}

export interface HttpServerDeps {
  config: Pick<Config, 'corsOrigins' | 'trustedProxies' | 'publicUrl' | 'connections'>;
  log: Logger;
  clock: Clock;
  metrics: Metrics;
  /** Milliseconds that a finished answer waits for a reader that takes nothing of it; half a minute when absent. */
  stallMs?: number;
}

/** A server that does not listen yet. */
export function createHttpServer({ config, log, clock, metrics, stallMs }: HttpServerDeps): HttpServer {
  const writers = createErrorWriters(log);
  const app = express();
  app.disable('x-powered-by');
  // Bodies are live data: hashing each one for a conditional GET that nobody makes is wasted.
  app.disable('etag');
  app.set('trust proxy', config.trustedProxies);
  const always = securityHeaders(config);
  app.use(
    requestIds(),
    setHeaders(always),
    singleHeaders(),
    meterRequests({ metrics, log, clock }),
    cutOffStalledReaders(stallMs),
  );
  if (config.corsOrigins.length > 0) app.use(cors(config.corsOrigins));
  const routes = express.Router();
  const mounts: Mount[] = [];
  app.locals['mounts'] = mounts;
  app.use(routes);
  app.use((req, res) => {
    writers[shapeOfPath(req.path)](new AppError('not-found', 'There is nothing at this address.'), req, res);
  });
  const lastResort: ErrorRequestHandler = (error: unknown, req, res, _next) => {
    const shown = asRequestError(error);
    // Such an address belongs to no call, so JSON-RPC's "200 and an error" does not fit either.
    if (shown instanceof AppError && shown !== error) res.statusCode = 400;
    writers[shapeOfPath(req.path)](shown, req, res);
  };
  app.use(lastResort);

  const { max, headersSeconds, requestSeconds, keepAliveSeconds } = config.connections;
  const headersTimeout = headersSeconds * 1000;
  const server = createServer(
    {
      headersTimeout,
      requestTimeout: Math.max(requestSeconds * 1000, headersTimeout),
      keepAliveTimeout: keepAliveSeconds * 1000,
      // How late a timeout may be noticed. All that ran out meanwhile are closed at once, so that thousands of slow clients
      // would stop the event loop for long if this were seconds.
      connectionsCheckingInterval: Math.min(headersTimeout / 2, CHECK_MS),
    },
    app,
  );
  // Node would drop the last of many without a word, a second Host for instance; their bytes are limited in any case.
  server.maxHeadersCount = 0;
  server.maxConnections = connectionLimit(max, openFilesLimit());
  if (server.maxConnections < max) {
    log.warn({ connections: server.maxConnections, wanted: max }, 'fewer connections than allowed: too few open files');
  }
  server.on('clientError', answerMalformed(always));
  server.on('checkContinue', (req, res) => {
    continueWhenRead(req, res);
    app(req, res);
  });
  // An expectation other than 100-continue is nothing to refuse a request for.
  server.on('checkExpectation', app);
  const dropped = metrics.counter('switchboard_connections_dropped_total', 'Connections closed: there were too many.');
  server.on('drop', () => dropped.add());

  return {
    app,
    mount: (path, router) => {
      mounts.push({ path, router });
      routes.use(path, router);
    },
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

/** How often connections are looked at for timeouts (ms). */
const CHECK_MS = 20;

/**
 * Connections that wait to be accepted; the system caps it. A queue that is full makes everybody's connection wait for
 * seconds, whoever filled it.
 */
const BACKLOG = 4096;

function listen(server: Server, host: string, port: number): Promise<{ host: string; port: number }> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog: BACKLOG }, () => {
      server.off('error', reject);
      const address = server.address() as AddressInfo;
      resolve({ host: address.address, port: address.port });
    });
  });
}
