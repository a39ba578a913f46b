// The inbound A2A surface: JSON-RPC and REST over the prompt port and the ledger. It reads nothing from the bus itself:
// what it shows is what the ledger has committed.
import { createErrorWriters } from '../../../src/http/error-writers.js';
import { SseHub } from '../../../src/http/sse-hub.js';
import { definePlugin } from '../../../src/plugin.js';
import { agentCardRoutes, genericCardRoutes } from './card-routes.js';
import { unknownExtensions } from './extensions.js';
import { Operations } from './operations.js';
import { bridgeRouters } from './routes.js';

export const a2aBridge = definePlugin({
  name: 'a2a-bridge',
  consumes: [],
  observes: [],
  produces: [],
  install({ core, log, mount }) {
    if (!core.config.inbound) return undefined;
    for (const uri of unknownExtensions(core.config.requiredExtensions)) {
      log.warn({ uri }, 'a required extension is not known here: it is not required of anybody');
    }
    const writers = createErrorWriters(log);
    const hub = new SseHub(core.clock, core.config.heartbeatSeconds * 1000, core.ledger.boot);
    const { byKey, byName } = bridgeRouters({ core, hub, writers, operations: new Operations(core) });
    mount('/.well-known', genericCardRoutes(core, writers.rest));
    mount('/agents', agentCardRoutes(core, writers.rest));
    mount('/a2a', byKey);
    mount('/agents', byName);
    return { stop: () => hub.endAll() };
  },
});
