// What stands between the socket and the surfaces, built together since its parts tell each other of what they see: the
// gate, the doors, the open streams, the uses of keys and the numbers about all of them.
import type { Clock } from '../clock.js';
import type { Config } from '../config.js';
import type { Logger } from '../log.js';
import type { KeyUseStore } from '../mirror/rows.js';
import type { CallerDirectory } from '../workspace/callers.js';
import type { Authenticators } from './authenticators.js';
import { createDoors } from './create-doors.js';
import type { Doors } from './door.js';
import { Gate } from './gate.js';
import { KeyUses } from './key-uses.js';
import { LoopLag, type LagSource } from './loop-lag.js';
import { Metrics } from './metrics.js';
import { OpenStreams } from './open-streams.js';
import { processMetrics } from './process-metrics.js';

interface FrontDeps {
  config: Config;
  callers: CallerDirectory;
  authenticators: Authenticators;
  clock: Clock;
  log: Logger;
  operatorKey: string;
  keyUseStore: KeyUseStore;
  /** The real one when absent. */
  lag: LagSource | undefined;
}

interface Front {
  gate: Gate;
  doors: Doors;
  streams: OpenStreams;
  keyUses: KeyUses;
  metrics: Metrics;
  /** Ends its timers and writes what is not written yet. */
  stop(): void;
}

export function createFront({ keyUseStore, lag: injected, ...deps }: FrontDeps): Front {
  const { config, callers, clock, log } = deps;
  const metrics = new Metrics();
  const own = injected ? undefined : new LoopLag(clock);
  const lag = injected ?? (own as LoopLag);
  processMetrics(metrics, lag);
  const gate = new Gate({ lag, overloadMs: config.overloadMs });
  const keyUses = new KeyUses({ store: keyUseStore, clock, log });
  const streams = new OpenStreams({
    limits: config.streams,
    clock,
    ownerOf: (hash) => callers.ownerOf(hash),
    isCaller: (id) => callers.find(id) !== undefined,
  });
  const used = (hash: string, callerId: string): void => keyUses.note(hash, callerId);
  return {
    gate,
    doors: createDoors({ ...deps, gate, metrics, used }),
    streams,
    keyUses,
    metrics,
    stop() {
      own?.stop();
      keyUses.write();
    },
  };
}
