// Cross-origin access for the origins the operator configured; no headers at all for anybody else.
import type { RequestHandler } from 'express';

const ALLOWED_HEADERS =
  'Authorization, X-API-Key, Content-Type, A2A-Version, A2A-Extensions, X-A2A-Extensions, Last-Event-ID, Traceparent, Idempotency-Key, X-Request-Id';
const EXPOSED_HEADERS =
  'A2A-Extensions, X-A2A-Extensions, A2A-Version, ETag, Retry-After, WWW-Authenticate, X-Request-Id';

/** Answers preflight requests of the given origins (`*` for all) and marks responses to them as readable. */
export function cors(origins: readonly string[]): RequestHandler {
  const everybody = origins.includes('*');
  return (req, res, next) => {
    const { origin } = req.headers;
    // Also without one: what a cache keeps must not be given to a page that needs the headers.
    if (!everybody) res.append('Vary', 'Origin');
    if (origin === undefined || !(everybody || origins.includes(origin))) {
      next();
      return;
    }
    res.setHeader('Access-Control-Allow-Origin', everybody ? '*' : origin);
    if (req.method !== 'OPTIONS' || req.headers['access-control-request-method'] === undefined) {
      res.setHeader('Access-Control-Expose-Headers', EXPOSED_HEADERS);
      next();
      return;
    }
    res.setHeader('Access-Control-Allow-Methods', 'GET, POST, DELETE');
    res.setHeader('Access-Control-Allow-Headers', ALLOWED_HEADERS);
    res.setHeader('Access-Control-Max-Age', '600');
    res.status(204).end();
  };
}
