// The inbound A2A surface: JSON-RPC and REST over the prompt port and the ledger. It reads nothing from the bus itself:
// what it shows is what the ledger has committed.
import { createErrorWriters } from '../../../src/http/error-writers.js';
import { SseHub } from '../../../src/http/sse-hub.js';
import { definePlugin } from '../../../src/plugin.js';
import { agentCardRoutes, genericCardRoutes } from './card-routes.js';
import { offeredExtensions, unknownExtensions } from './extensions.js';
import { Operations } from './operations.js';
import { GrpcSurface } from './grpc/grpc-surface.js';
import { loadCardKeys } from './signing/card-keys.js';
import { CardSigner } from './signing/sign-card.js';
import { bridgeRouters } from './routes.js';

export const a2aBridge = definePlugin({
  name: 'a2a-bridge',
  consumes: [],
  observes: [],
  produces: [],
  install({ core, log, mount }) {
    if (!core.config.inbound) return undefined;
    for (const uri of unknownExtensions(core.config.requiredExtensions, offeredExtensions(core.config))) {
      log.warn({ uri }, 'a required extension is not known here: it is not required of anybody');
    }
    const writers = createErrorWriters(log);
    const hub = new SseHub(core.clock, core.config.heartbeatSeconds * 1000, core.ledger.boot);
    const signer = new CardSigner(loadCardKeys(core.config.cardKeys, core.secrets), () => jwksUrl(core.baseUrl()));
    const ports = { ...core, signer, grpcAddress: () => grpc?.address };
    const operations = new Operations(ports);
    const { grpcPort } = core.config;
    const grpc: GrpcSurface | undefined =
      grpcPort === undefined ? undefined : new GrpcSurface(core, operations, signer, log);
    const { byKey, byName } = bridgeRouters({ core, hub, writers, operations, signer });
    mount('/.well-known', genericCardRoutes(ports, writers.rest));
    mount('/agents', agentCardRoutes(ports, writers.rest));
    mount('/a2a', byKey);
    mount('/agents', byName);
    return {
      async listen() {
        if (grpcPort !== undefined) await grpc?.listen(grpcPort);
      },
      async stop() {
        hub.endAll();
        await grpc?.stop();
      },
    };
  },
});

/** Keys are read over https only. */
const jwksUrl = (baseUrl: string): string | undefined =>
  baseUrl.startsWith('https:') ? `${baseUrl}/.well-known/jwks.json` : undefined;
