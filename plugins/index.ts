// The plugins in flow order: the wiring of the product. Surfaces ask, the dispatcher decides, executors answer,
// followers watch.
import type { Plugin } from '../src/plugin.js';
import { dispatcher } from './dispatcher/dispatcher.js';
import { a2aExecutor } from './executors/a2a-executor/a2a-executor.js';
import { sessionRunner } from './executors/session-runner/session-runner.js';
import { delivery } from './followers/delivery/delivery.js';
import { metrics } from './followers/metrics/metrics.js';
import { ownerNotifier } from './followers/owner-notifier/owner-notifier.js';
import { pushDispatcher } from './followers/push-dispatcher/push-dispatcher.js';
import { taskLog } from './followers/task-log/task-log.js';
import { taskTracker } from './followers/task-tracker/task-tracker.js';
import { a2aBridge } from './surfaces/a2a-bridge/a2a-bridge.js';
import { operatorApi } from './surfaces/operator-api/operator-api.js';

type SessionFiles = Parameters<typeof sessionRunner>[0] & Parameters<typeof delivery>[0];

export const PLUGINS = (sessionFiles: SessionFiles): readonly Plugin[] => [
  a2aBridge,
  operatorApi,
  dispatcher,
  a2aExecutor,
  sessionRunner(sessionFiles),
  taskTracker,
  delivery(sessionFiles),
  taskLog,
  ownerNotifier,
  pushDispatcher,
  metrics,
];
