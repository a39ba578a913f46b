// Counts every request once it is over, by surface and class of status, and tells of it in the log at level `debug`.
import type { Request, RequestHandler, Response } from 'express';
import type { Clock } from '../clock.js';
import type { Logger } from '../log.js';
import type { Metrics } from './metrics.js';

const SURFACES = ['a2a', 'card', 'operator', 'health', 'other'] as const;
const CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx', 'cut'] as const;

/** Which part of the product an address belongs to. */
function surfaceOf(path: string): (typeof SURFACES)[number] {
  if (path.includes('/.well-known/')) return 'card';
  if (/^\/(?:a2a|agents)(?:\/|$)/.test(path)) return 'a2a';
  if (path === '/healthz' || path === '/readyz') return 'health';
  return /^\/(?:api|metrics|console)(?:\/|$)/.test(path) ? 'operator' : 'other';
}

interface MeterDeps {
  metrics: Metrics;
  log: Logger;
  clock: Clock;
}

export function meterRequests({ metrics, log, clock }: MeterDeps): RequestHandler {
  const help = 'Requests that are over, by surface and class of status; cut: the connection ended before the answer.';
  const requests = metrics.counter('switchboard_http_requests_total', help, { surface: SURFACES, status: CLASSES });

  // Shared, so that a quiet stream carries no closure for this.
  function over(this: Response): void {
    const { req, statusCode, headersSent } = this;
    requests.add([surfaceOf(pathOf(req)), headersSent ? `${Math.floor(statusCode / 100)}xx` : 'cut']);
  }

  const tell = (req: Request, res: Response): void => {
    const begun = clock.now();
    res.on('close', () => {
      const { id: requestId, method } = req;
      const ms = clock.now() - begun;
      log.debug({ requestId, method, path: pathOf(req), status: res.statusCode, ms, address: req.ip }, 'request');
    });
  };

  return (req, res, next) => {
    res.on('close', over);
    if (log.isLevelEnabled('debug')) tell(req, res);
    next();
  };
}

const pathOf = (req: Request): string => req.originalUrl.split('?', 1)[0] as string;
