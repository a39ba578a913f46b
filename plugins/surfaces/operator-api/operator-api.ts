// The operator's HTTP surface: JSON over a table of routes, health probes, and the document that describes them.
import express from 'express';
import type { PushDisabled } from '../../../src/bus/topics.js';
import { createErrorWriters } from '../../../src/http/error-writers.js';
import { definePlugin, type Core } from '../../../src/plugin.js';
import { agentRoutes } from './agent-routes.js';
import { chatRoutes } from './chat-routes.js';
import { directoryRoutes } from './directory-routes.js';
import { healthRouter } from './health.js';
import { metricsRouter } from './metrics-router.js';
import { openApiDocument } from './openapi.js';
import type { Route } from './route.js';
import { pushRoutes } from './push-routes.js';
import { operatorRouter } from './router.js';
import { taskRoutes } from './task-routes.js';
import type { ViewPorts } from './task-view.js';
import { webhookSecretRoutes } from './webhook-secret-routes.js';
import { partsToWire } from './wire-parts.js';

export const operatorApi = definePlugin({
  name: 'operator-api',
  consumes: [],
  observes: [],
  produces: ['push.disabled'],
  install({ bus, core, mount }) {
    const write = createErrorWriters(core.log).operator;
    const routes = operatorRoutes(core, (webhook) => bus.publish('push.disabled', webhook));
    mount('/', healthRouter(core, write));
    mount('/', metricsRouter(core, write));
    mount('/api/a2a', operatorRouter(core, routes, write));

    const description = express.Router();
    const document = openApiDocument(routes);
    description.get('/openapi.json', core.doors.operator(write), (_req, res) => void res.json(document));
    mount('/api', description);
  },
});

/** All routes below `/api/a2a`. The ports are used when a route runs, not before. */
export function operatorRoutes(core: Core, pushDisabled: (webhook: PushDisabled) => void): Route[] {
  const views: ViewPorts = {
    baseUrl: () => core.baseUrl(),
    inline: (parts, scope) => partsToWire(parts, core.blobs, scope),
  };
  return [
    ...chatRoutes(core, views),
    ...taskRoutes(core, views),
    ...agentRoutes(core, views),
    ...directoryRoutes(core),
    ...pushRoutes(core, pushDisabled),
    ...webhookSecretRoutes(core),
  ];
}
