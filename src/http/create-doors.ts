// The doors every surface's routes hang behind: who calls, how often, and what a body may be. Keys are checked before a
// byte of the body is read.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { RequestHandler } from 'express';
import type { Clock } from '../clock.js';
import type { Config } from '../config.js';
import { AppError } from '../errors.js';
import type { Logger } from '../log.js';
import type { Caller, CallerDirectory } from '../workspace/callers.js';
import { jsonBody } from './body.js';
import { requestKey } from './credentials.js';
import type { Doors, Knock } from './door.js';
import { Notices } from './notices.js';
import { RateLimiter } from './token-bucket.js';

export interface DoorDeps {
  config: Pick<Config, 'rate' | 'maxBodyBytes'>;
  callers: Pick<CallerDirectory, 'authenticate'>;
  log: Logger;
  clock: Clock;
  operatorKey: string;
}

const digest = (key: string): Buffer => createHash('sha256').update(key).digest();

/** The doors of one server; the rate's buckets are shared by all routes of it. */
export function createDoors({ config, callers, log, clock, operatorKey }: DoorDeps): Doors {
  const limiter = new RateLimiter(config.rate, clock);
  const notices = new Notices(clock);
  const operatorDigest = digest(operatorKey);

  const takeToken = (name: string): void => {
    const retryAfter = limiter.take(name);
    if (retryAfter === 0) return;
    if (notices.due(name)) log.warn({ caller: name, retryAfter }, 'request rate exceeded');
    throw new AppError('rate-limited', `Too many requests; try again in ${retryAfter} s.`, { retryAfter });
  };

  const admit = async ({ headers }: Knock): Promise<Caller> => {
    const caller = await callers.authenticate(requestKey(headers));
    if (!caller) throw new AppError('unauthenticated', 'The key is not valid.');
    takeToken(caller.id);
    return caller;
  };

  return {
    admit,
    caller: (writeError): RequestHandler => {
      return async (req, res, next) => {
        try {
          req.caller = await admit({ headers: req.headers, address: req.ip });
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
