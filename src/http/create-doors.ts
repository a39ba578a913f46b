// The doors every surface's routes hang behind: who calls, how often, and what a body may be. Keys are checked before a
// byte of the body is read.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { RequestHandler } from 'express';
import type { Clock } from '../clock.js';
import type { Config } from '../config.js';
import { AppError } from '../errors.js';
import type { Logger } from '../log.js';
import type { Authenticators } from './authenticators.js';
import { jsonBody } from './body.js';
import { requestKey } from './credentials.js';
import type { Doors } from './door.js';
import { Notices } from './notices.js';
import { RateLimiter } from './token-bucket.js';

export interface DoorDeps {
  config: Pick<Config, 'rate' | 'maxBodyBytes'>;
  authenticators: Pick<Authenticators, 'identify'>;
  log: Logger;
  clock: Clock;
  operatorKey: string;
}

const digest = (key: string): Buffer => createHash('sha256').update(key).digest();

/** The doors of one server; the rate's buckets are shared by all routes of it. */
export function createDoors({ config, authenticators, log, clock, operatorKey }: DoorDeps): Doors {
  const limiter = new RateLimiter(config.rate, clock);
  const notices = new Notices(clock);
  const operatorDigest = digest(operatorKey);

  const takeToken = (name: string): void => {
    const retryAfter = limiter.take(name);
    if (retryAfter === 0) return;
    if (notices.due(name)) log.warn({ caller: name, retryAfter }, 'request rate exceeded');
    throw new AppError('rate-limited', `Too many requests; try again in ${retryAfter} s.`, { retryAfter });
  };

  return {
    caller: (writeError): RequestHandler => {
      return async (req, res, next) => {
        try {
          const caller = await authenticators.identify(req.headers);
          takeToken(caller.id);
          req.caller = caller;
        } catch (error) {
          writeError(error, req, res);
          return;
        }
        next();
      };
    },
    operator: (writeError): RequestHandler => {
      return (req, res, next) => {
        try {
          if (!timingSafeEqual(digest(requestKey(req.headers)), operatorDigest)) {
            throw new AppError('unauthenticated', 'The key is not valid.');
          }
          takeToken('operator');
        } catch (error) {
          writeError(error, req, res);
          return;
        }
        next();
      };
    },
    json: (writeError, options) =>
      jsonBody(writeError, { limit: config.maxBodyBytes, types: options?.types ?? ['application/json'] }),
  };
}
