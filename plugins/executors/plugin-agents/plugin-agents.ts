// The executor of agents that plugins add: it takes their definitions, and runs their functions.
import { definePlugin } from '../../../src/plugin.js';
import { AgentCalls } from './agent-calls.js';
import { AgentExecutor } from './agent-executor.js';

export const pluginAgents = definePlugin({
  name: 'plugin-agents',
  install({ core, log }) {
    const executor = new AgentExecutor({ core, log, calls: new AgentCalls(core) });
    core.registry.register(executor);
    core.extensions.accept('agent', (definition, by) => executor.add(definition, by));
  },
});
