// The doors every surface's routes hang behind: whether anybody is let in, who calls, how often, and what a body may be.
// Keys are checked before a byte of the body is read.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import type { Clock } from '../clock.js';
import type { Config } from '../config.js';
import { AppError } from '../errors.js';
import type { Logger } from '../log.js';
import type { Authenticators } from './authenticators.js';
import type { Caller, CallerDirectory } from '../workspace/callers.js';
import { jsonBody } from './body.js';
import { requestKey } from './credentials.js';
import type { Admitted, DoorRule, Doors, ErrorWriter, Knock } from './door.js';
import { FairTurns } from './fair-turns.js';
import type { Gate } from './gate.js';
import { hostCheck } from './host-check.js';
import { Lockout } from './lockout.js';
import type { Metrics } from './metrics.js';
import { doorMetrics } from './door-metrics.js';
import { Notices } from './notices.js';
import { RateLimiter } from './token-bucket.js';

interface DoorDeps {
  config: Pick<Config, 'rate' | 'maxBodyBytes' | 'lockout' | 'host' | 'publicUrl' | 'operatorHosts' | 'corsOrigins'>;
  callers: Pick<CallerDirectory, 'authenticate'>;
  /** What plugins know of who calls; they are asked before the key. */
  authenticators?: Pick<Authenticators, 'identify'>;
  log: Logger;
  clock: Clock;
  operatorKey: string;
  gate: Gate;
  metrics: Metrics;
  /** Told of every key that was let in. */
  used(keyHash: string, callerId: string): void;
}

const digest = (key: string): Buffer => createHash('sha256').update(key).digest();

class Stopped extends Error {
  constructor(
    readonly rule: DoorRule,
    readonly told: AppError,
  ) {
    super(told.message);
  }
}

const knockOf = ({ headers, ip }: Request): Knock => ({ headers, address: ip });

type Check = (req: Request) => void | Promise<void>;

/** The doors of one server; the rate's buckets and the lockout are shared by all routes of it. */
export function createDoors(deps: DoorDeps): Doors {
  const { config, callers, log, clock, gate } = deps;
  const limiter = new RateLimiter(config.rate, clock);
  const lockout = new Lockout(config.lockout, clock);
  const turns = new FairTurns();
  const notices = new Notices(clock);
  const operatorDigest = digest(deps.operatorKey);
  const hostProblem = hostCheck(config);
  const refused = doorMetrics(deps.metrics, lockout);

  const takeToken = (name: string): void => {
    const retryAfter = limiter.take(name);
    if (retryAfter === 0) return;
    if (notices.due(name)) log.warn({ caller: name, retryAfter }, 'request rate exceeded');
    throw new Stopped(
      'rate',
      new AppError('rate-limited', `Too many requests; try again in ${retryAfter} s.`, { retryAfter }),
    );
  };

  /** Throws when the address is locked for this key. */
  const mustBeOpen = (address: string, hash: string): void => {
    const retryAfter = lockout.secondsLeft(address, hash);
    if (retryAfter === 0) return;
    const told = `Too many wrong keys came from this address; try again in ${retryAfter} s.`;
    throw new Stopped('lockout', new AppError('rate-limited', told, { retryAfter }));
  };

  /** Looks at the key only if the address may bring one, and remembers how that went. Resolves with the key's hash. */
  const checkKey = async (
    { headers, address = '' }: Knock,
    isGood: (key: string, hash: string) => Promise<boolean>,
  ): Promise<string> => {
    let presented = false;
    try {
      const key = requestKey(headers);
      presented = true;
      const hash = digest(key).toString('hex');
      mustBeOpen(address, hash);
      const good = await isGood(key, hash);
      // Others may have locked it meanwhile: guesses that come all at once learn no more than those that come in turn.
      mustBeOpen(address, hash);
      if (!good) throw new AppError('unauthenticated', 'The key is not valid.');
      lockout.worked(address, hash);
      return hash;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'unauthenticated') throw error;
      // Who brings no key guesses none: that is how clients ask which kind of key is wanted.
      if (presented && lockout.failed(address)) log.warn({ address }, 'too many wrong keys: the address is locked');
      throw new Stopped('key', error);
    }
  };

  /** The caller that a plugin's authenticator names. */
  const named = async ({ headers }: Knock): Promise<Caller | undefined> => {
    try {
      return await deps.authenticators?.identify(headers);
    } catch (error) {
      throw error instanceof AppError ? new Stopped('key', error) : error;
    }
  };

  const checkGate = (): void => {
    const closed = gate.closed();
    if (closed) throw new Stopped(closed.rule, closed.error);
  };

  const admitCaller = async (knock: Knock): Promise<Admitted> => {
    const known = await named(knock);
    if (known) {
      takeToken(known.id);
      return { caller: known };
    }
    let caller: Caller | undefined;
    const keyHash = await checkKey(knock, async (key, hash) => {
      caller = await callers.authenticate(key);
      if (caller) deps.used(hash, caller.id);
      return caller !== undefined;
    });
    const admitted = caller as unknown as Caller;
    takeToken(admitted.id);
    return { caller: admitted, keyHash };
  };

  /** What is refused waits for no turn: it costs next to nothing. */
  const admitInTurn = async (knock: Knock): Promise<Admitted> => {
    const admitted = await admitCaller(knock);
    await new Promise<void>((begin) => turns.take(admitted.caller.id, begin));
    return admitted;
  };

  /** Counts what a door stopped; what its caller is told. */
  const toldOf = (error: unknown): unknown => {
    if (!(error instanceof Stopped)) return error;
    refused(error.rule);
    return error.told;
  };

  const door =
    (writeError: ErrorWriter, check: Check, always = false): RequestHandler =>
    async (req, res, next) => {
      try {
        if (!always) checkGate();
        await check(req);
      } catch (error) {
        if (error instanceof Stopped && error.rule === 'drain') res.setHeader('Connection', 'close');
        writeError(toldOf(error), req, res);
        return;
      }
      next();
    };

  return {
    open: (writeError) => door(writeError, () => undefined),
    caller: (writeError) =>
      door(writeError, async (req) => {
        Object.assign(req, await admitInTurn(knockOf(req)));
      }),
    admit: async (knock) => {
      try {
        checkGate();
        return await admitInTurn(knock);
      } catch (error) {
        throw toldOf(error);
      }
    },
    operator: (writeError, options) =>
      door(
        writeError,
        async (req) => {
          const { host, origin } = req.headers;
          const problem = hostProblem({ host, forwarded: req.host, origin });
          if (problem) throw new Stopped('host', problem);
          await checkKey(knockOf(req), (key) => Promise.resolve(timingSafeEqual(digest(key), operatorDigest)));
          takeToken('operator');
        },
        options?.always,
      ),
    json: (writeError, options) =>
      jsonBody(writeError, { limit: config.maxBodyBytes, types: options?.types ?? ['application/json'] }),
    get draining() {
      return gate.draining;
    },
  };
}
