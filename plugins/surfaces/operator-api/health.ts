// Liveness and readiness, open to probes; what is wrong in detail is told to the operator's key only.
import express, { type Request, type Response, type Router } from 'express';
import type { ErrorWriter } from '../../../src/http/door.js';
import type { Core } from '../../../src/plugin.js';

export function healthRouter(
  core: Pick<Core, 'ledger' | 'workspaces' | 'doors' | 'plugins' | 'remotes'>,
  write: ErrorWriter,
): Router {
  const router = express.Router();
  router.get('/healthz', (_req, res) => void res.json({ status: 'ok' }));

  const ready = (res: Response, details: object): void => {
    const { draining } = core.doors;
    const isReady = core.ledger.healthy && !draining;
    const status = draining ? 'stopping' : isReady ? 'ready' : 'not ready';
    res.status(isReady ? 200 : 503).json({ status, ...details });
  };
  router.get(
    '/readyz',
    (req, res, next) => (hasKey(req) ? next() : ready(res, {})),
    core.doors.operator(write, { always: true }),
    (_req, res) =>
      ready(res, {
        ledger: core.ledger.healthy ? 'accepts work' : 'the last write failed',
        workspaces: core.workspaces.names().length,
        // A problem in one owner's file leaves the rest of the server ready.
        problems: core.workspaces.problems(),
        plugins: core.plugins.list(),
        // What happens elsewhere makes nobody here less ready.
        remoteAgents: core.remotes.all().map(({ name, scope, reachable, problem, lastSeen, leftAloneUntil }) => ({
          name,
          ...(scope !== 'operator' && { workspace: scope }),
          reachable,
          ...(problem !== undefined && { problem }),
          ...(lastSeen !== undefined && { lastSeen }),
          ...(leftAloneUntil !== undefined && { leftAloneUntil }),
        })),
      }),
  );
  return router;
}

const hasKey = (req: Request): boolean =>
  req.headers.authorization !== undefined || req.headers['x-api-key'] !== undefined;
