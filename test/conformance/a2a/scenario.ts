// One scenario, every binding: the title carries the rows of the protocol's rules, the rule and its section. What the
// runs return is compared once all are over.
import { describe, expect, it } from '@jest/globals';
import type { BridgeServer } from '../../surfaces/a2a-bridge/bridge-server.js';
import { bindings, normalised, type Binding } from './binding.js';

/** Its title, what it does, and whether only HTTP has anything to it. */
export type Scenario = readonly [title: string, run: Run, where?: 'HTTP only'];
type Run = (binding: Binding) => Promise<unknown>;

/** Declares the tests of all scenarios: those of one binding together, the comparison last. */
export function overEachBinding(server: BridgeServer, subject: string, scenarios: readonly Scenario[]): void {
  const outcomes = scenarios.map(() => new Map<string, unknown>());
  describe.each(bindings(server).map((binding) => [binding.name, binding] as const))(`%s`, (name, binding) => {
    const own = scenarios.flatMap(([title, run, where], i) =>
      binding.isHttp || where === undefined ? [[title, run, i] as const] : [],
    );
    it.each(own)('%s', async (_title, run, i) => {
      outcomes[i]?.set(name, normalised(await run(binding)));
    });
  });
  describe('all bindings', () => {
    it(`[54] The bindings agree on every scenario about ${subject}. (§5.1)`, () => {
      for (const [i, outcome] of outcomes.entries()) {
        const [first, ...others] = outcome.values();
        for (const other of others) expect([scenarios[i]?.[0], other]).toEqual([scenarios[i]?.[0], first]);
      }
    });
  });
}
