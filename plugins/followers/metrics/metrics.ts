// Counts what goes over the bus and reads the state of the core, for `/metrics`. It answers nothing and changes nothing;
// its labels are the product's own words, never a caller's.
import { shortState, TASK_STATES } from '../../../src/a2a-model.js';
import { definePlugin } from '../../../src/plugin.js';
import type { RemoteAgentView } from '../../../src/remote/remote-port.js';

/** The dispatcher's guards, and what stops a request after them. A test holds them against the guards. */
export const RULES = [
  'target',
  'permission',
  'duplicate',
  'loop',
  'storage',
  'quota',
  'busy',
  'cooldown',
  'added',
  'approval',
  'admission',
] as const;

const REACHABLE = ['yes', 'no', 'unknown'] as const;

const count = (agents: readonly RemoteAgentView[], having: keyof RemoteAgentView): number =>
  agents.filter((agent) => agent[having] !== undefined).length;

export const metrics = definePlugin({
  name: 'metrics',
  consumes: [],
  observes: [
    'agent.prompt.assigned',
    'agent.prompt.dropped',
    'agent.outcome',
    'push.delivered',
    'push.failed',
    'plugin.failed',
  ],
  produces: [],
  install({ bus, core: { metrics, ledger, streams, remotes } }) {
    const states = TASK_STATES.map(shortState);
    const refusals = metrics.counter('switchboard_refusals_total', 'Prompts that the dispatcher refused, by rule.', {
      rule: RULES,
    });
    const turns = metrics.counter('switchboard_turns_total', 'Turns that are over, by the state they led to.', {
      state: states,
    });
    const pushes = metrics.counter('switchboard_push_attempts_total', 'Tries to tell a webhook, by result.', {
      result: ['delivered', 'failed'],
    });
    const failures = metrics.counter('switchboard_plugin_failures_total', 'Handlers on the bus that threw.');
    let running = 0;

    bus.subscribe('agent.prompt.assigned', () => void running++);
    bus.subscribe('agent.outcome', ({ state }) => {
      running--;
      turns.add([shortState(state)]);
    });
    bus.subscribe('agent.prompt.dropped', ({ rule }) => refusals.add([rule]));
    bus.subscribe('push.delivered', () => pushes.add(['delivered']));
    bus.subscribe('push.failed', () => pushes.add(['failed']));
    bus.subscribe('plugin.failed', () => failures.add());

    metrics.gauge('switchboard_turns_running', 'Turns that run now.', () => running);
    metrics.gauge('switchboard_streams_open', 'Streams that are open now.', () => streams.open);
    const noPlace = 'Streams that were refused since too many are open.';
    metrics.gauge('switchboard_streams_refused_total', noPlace, () => streams.refused, 'counter');
    metrics.gauge('switchboard_storage_healthy', '0 after a failed write until one succeeds.', () =>
      Number(ledger.healthy),
    );
    const behind = 'Tasks whose checkpoint (files) or row in the index (rows) is behind the journal.';
    metrics.gauges('switchboard_tasks_behind', behind, 'what', () => Object.entries(ledger.census.behind));
    const elsewhere = 'Agents elsewhere that the lists name, by whether they were reached last.';
    metrics.gauges('switchboard_remote_agents', elsewhere, 'reachable', () => {
      const agents = remotes.all();
      return REACHABLE.map((known) => [known, agents.filter(({ reachable }) => reachable === known).length]);
    });
    const alone = 'Agents elsewhere that failed so often that they are not asked at the moment.';
    metrics.gauge('switchboard_remote_agents_left_alone', alone, () => count(remotes.all(), 'leftAloneUntil'));
    const wrong = 'Agents elsewhere with something wrong, e.g. a card that can not be had anew; see /readyz.';
    metrics.gauge('switchboard_remote_agents_with_problem', wrong, () => count(remotes.all(), 'problem'));
    metrics.gauges('switchboard_live_tasks', 'Tasks that are not at their end, by state.', 'state', () =>
      ledger.census.live().map(({ state, count }) => [shortState(state), count]),
    );
  },
});
