// Every request has an id: the one its client or proxy gave it when that is harmless, else a fresh one. It comes back in
// the answer and stands in what is logged about the request.
import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';

const HARMLESS = /^[A-Za-z0-9._:-]{1,128}$/;

/** Fills `req.id`. */
export const requestIds = (): RequestHandler => (req, res, next) => {
  const given = req.headers['x-request-id'];
  req.id = typeof given === 'string' && HARMLESS.test(given) ? given : randomUUID();
  res.setHeader('X-Request-Id', req.id);
  next();
};
