// The plugin through which remote agents answer like any other: those of a workspace's agents.json come before all other
// agents of their names, those of the home's list after them.
import { definePlugin } from '../../../src/plugin.js';
import { RemoteExecutor } from './remote-executor.js';

export const a2aExecutor = definePlugin({
  name: 'a2a-executor',
  consumes: [],
  observes: [],
  produces: [],
  install({ core, log }) {
    if (!core.config.outbound) return undefined;
    const own = new RemoteExecutor({ core, log, listed: 'workspace' });
    const ofHome = new RemoteExecutor({ core, log, listed: 'home' });
    core.registry.register(own);
    core.registry.registerLast(ofHome);
    return {
      ready() {
        // Each list tells of names that are taken, once.
        for (const scope of ['operator', ...core.workspaces.names()]) core.registry.list(scope);
      },
      stop() {
        own.stop();
        ofHome.stop();
      },
    };
  },
});
