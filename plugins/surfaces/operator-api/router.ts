// Hangs the route table behind the operator's door: key, body, checked values, and one way to write what comes out.
import { createHash } from 'node:crypto';
import express, { type Request, type RequestHandler, type Router } from 'express';
import type { z } from 'zod';
import { AppError } from '../../../src/errors.js';
import type { ErrorWriter } from '../../../src/http/door.js';
import type { Core } from '../../../src/plugin.js';
import { idempotencyKey, KeptAnswers } from './idempotency.js';
import type { Answered, Method, Route } from './route.js';

export function operatorRouter(core: Pick<Core, 'doors' | 'clock'>, routes: Route[], write: ErrorWriter): Router {
  const router = express.Router();
  // Per route and not for all of `/api/a2a`: other surfaces may hang below it with another door.
  const door = [core.doors.operator(write), core.doors.json(write)];
  const kept = new KeptAnswers<Answered>(core.clock);
  const methods = new Map<string, Method[]>();
  for (const route of routes) {
    router[route.method](route.path, ...door, answer(route, kept, write));
    methods.set(route.path, [...(methods.get(route.path) ?? []), route.method]);
  }
  for (const [path, known] of methods) {
    router.all(path, door[0] as RequestHandler, (req, res) => {
      const allowed = known.map((method) => method.toUpperCase()).join(', ');
      res.set('Allow', allowed);
      write(new AppError('method-not-allowed', `This address answers ${allowed}.`), req, res);
    });
  }
  return router;
}

function answer(route: Route, kept: KeptAnswers<Answered>, write: ErrorWriter): RequestHandler {
  return async (req, res) => {
    const hangUp = new AbortController();
    res.on('close', () => hangUp.abort());
    try {
      const key = route.method === 'post' ? idempotencyKey(req.get('Idempotency-Key')) : undefined;
      const asked = {
        params: req.params as Record<string, string>,
        body: route.body && checked(route.body, req.body ?? {}),
        query: route.query && checked(route.query, req.query),
        signal: hangUp.signal,
        idempotencyKey: key,
      };
      const run = async (): Promise<Answered> => route.run(asked);
      const { status, body, retryAfter } =
        key === undefined || route.idempotency === 'message'
          ? await run()
          : await kept.once(key, fingerprint(req), run);
      if (retryAfter !== undefined) res.set('Retry-After', String(retryAfter));
      res.status(status).json(body);
    } catch (error) {
      write(error, req, res);
    }
  };
}

const fingerprint = (req: Request): string =>
  createHash('sha256')
    .update(`${req.method} ${req.originalUrl}\n`)
    .update(req.rawBody ?? '')
    .digest('base64url');

/** The value by its schema. Throws `invalid-params` that lists every problem. */
function checked(schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const violations = result.error.issues.map(({ path, message }) => ({
    field: path
      .map((step, i) => (typeof step === 'number' ? `[${step}]` : `${i > 0 ? '.' : ''}${String(step)}`))
      .join(''),
    description: message,
  }));
  const told = violations.map(({ field, description }) => (field === '' ? description : `${field}: ${description}`));
  throw new AppError('invalid-params', `The request is not valid. ${told.join('; ')}`, { violations });
}
