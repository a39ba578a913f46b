// The doors in front of a plugin's routes: who may pass, and how bodies are read.
import express, { type RequestHandler, type Router } from 'express';
import { createErrorWriters } from '../http/error-writers.js';
import { AUDIENCES, type Audience, type Core } from '../plugin.js';

/** A router behind the doors of its audience. Throws an Error for an audience that there is not. */
export function audienceRouter(
  audience: Audience,
  core: Pick<Core, 'doors' | 'log'>,
  build: (router: Router) => void,
): Router {
  if (!AUDIENCES.includes(audience)) throw new Error(`routes are for one of ${AUDIENCES.join(', ')}`);
  const router = express.Router();
  router.use(doorsOf(audience, core));
  build(router);
  return router;
}

function doorsOf(audience: Audience, { doors, log }: Pick<Core, 'doors' | 'log'>): RequestHandler[] {
  const write = createErrorWriters(log).operator;
  // Whoever is let in without a key is, too, told to come later by a server that stops or can't keep up.
  if (audience === 'public') return [doors.open(write)];
  return [audience === 'callers' ? doors.caller(write) : doors.operator(write), doors.json(write)];
}
