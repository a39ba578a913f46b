// GET /metrics: the numbers of the whole product for Prometheus, behind the operator's door like everything that tells
// about it.
import express, { type Router } from 'express';
import type { ErrorWriter } from '../../../src/http/door.js';
import { sendMetrics } from '../../../src/http/metrics.js';
import type { Core } from '../../../src/plugin.js';

export function metricsRouter(core: Pick<Core, 'doors' | 'metrics'>, write: ErrorWriter): Router {
  const router = express.Router();
  router.get('/metrics', core.doors.operator(write), (_req, res) => sendMetrics(res, core.metrics));
  return router;
}
