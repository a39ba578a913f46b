// What the doors count: each refusal under its rule, and the addresses that are locked.
import { DOOR_RULES, type DoorRule } from './door.js';
import type { Lockout } from './lockout.js';
import type { Metrics } from './metrics.js';

/** Registers the doors' numbers; the answer counts one refusal. */
export function doorMetrics(metrics: Metrics, lockout: Lockout): (rule: DoorRule) => void {
  const help = 'Requests that a door turned away, by rule.';
  const refusals = metrics.counter('switchboard_door_refusals_total', help, { rule: DOOR_RULES });
  metrics.gauge('switchboard_locked_addresses', 'Addresses that are locked for wrong keys.', () => lockout.locked);
  metrics.gauge('switchboard_lockouts_total', 'Times that an address was locked.', () => lockout.locks, 'counter');
  return (rule) => refusals.add([rule]);
}
