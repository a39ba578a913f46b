// The doors in front of a plugin's routes: who may pass, and how bodies are read. They stand in front of its routes alone, so
// that a plugin's routes for others, and everything else, are reached past them.
import express, { type Request, type RequestHandler, type Router } from 'express';
import { createErrorWriters } from '../http/error-writers.js';
import { AUDIENCES, type Audience, type Core } from '../plugin.js';

/** A router behind the doors of its audience. Throws an Error for an audience that there is not. */
export function audienceRouter(
  audience: Audience,
  core: Pick<Core, 'doors' | 'log'>,
  build: (router: Router) => void,
): Router {
  if (!AUDIENCES.includes(audience)) throw new Error(`routes are for one of ${AUDIENCES.join(', ')}`);
  const routes = express.Router();
  build(routes);
  const router = express.Router();
  router.use((req, _res, next) => (isFor(routes, req) ? next() : next('router')));
  router.use(doorsOf(audience, core), routes);
  return router;
}

/** What is used of the layers that a router consists of. One without a route is middleware, for all methods. */
interface Layer {
  match(path: string): boolean;
  route?: { _handlesMethod(method: string): boolean };
}

/** Express can't be asked whom a request is for without handing it over, which must not happen before the doors. */
function isFor(routes: Router, { method, path }: Pick<Request, 'method' | 'path'>): boolean {
  const takes = ({ route }: Layer): boolean => !route || method === 'OPTIONS' || route._handlesMethod(method);
  try {
    return (routes.stack as unknown as Layer[]).some((layer) => layer.match(path) && takes(layer));
  } catch {
    // A path that can't be decoded: the router says so, to whoever may pass.
    return true;
  }
}

function doorsOf(audience: Audience, { doors, log }: Pick<Core, 'doors' | 'log'>): RequestHandler[] {
  const write = createErrorWriters(log).operator;
  // Whoever is let in without a key is, too, told to come later by a server that stops or can't keep up.
  if (audience === 'public') return [doors.open(write)];
  return [audience === 'callers' ? doors.caller(write) : doors.operator(write), doors.json(write)];
}
