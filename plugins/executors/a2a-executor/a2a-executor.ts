// The plugin through which remote agents answer like any other.
import { definePlugin } from '../../../src/plugin.js';
import { RemoteExecutor } from './remote-executor.js';

export const a2aExecutor = definePlugin({
  name: 'a2a-executor',
  consumes: [],
  observes: [],
  produces: [],
  install({ core, log }) {
    if (core.config.outbound) core.registry.register(new RemoteExecutor({ core, log }));
  },
});
