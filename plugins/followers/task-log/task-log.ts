// One log line per turn that ended; refusals at level debug, since their storms are warned of elsewhere.
import { shortState } from '../../../src/a2a-model.js';
import { definePlugin } from '../../../src/plugin.js';

export const taskLog = definePlugin({
  name: 'task-log',
  consumes: [],
  observes: ['agent.outcome', 'agent.prompt.dropped'],
  produces: [],
  install({ bus, log }) {
    bus.subscribe('agent.outcome', ({ cid, turn, agent, caller, skill, state, durationMs, usage, synthetic }) =>
      log.info(
        { cid, turn, agent, caller, skill, state: shortState(state), durationMs, usage, synthetic },
        'turn ended',
      ),
    );
    bus.subscribe('agent.prompt.dropped', ({ cid, caller, agent, rule, code }) =>
      log.debug({ cid, caller, agent, rule, code }, 'request refused'),
    );
  },
});
