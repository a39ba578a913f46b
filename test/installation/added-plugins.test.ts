// Plugins that go on when nobody waits for them any more.
import { expect, test } from '@jest/globals';
import { AddedPlugins } from '../../src/installation/added-plugins.js';
import { definePlugin } from '../../src/plugin.js';
import { FakeClock } from '../support/fake-clock.js';
import { PluginHome } from '../support/plugin-home.js';

function signal(): { given: Promise<void>; give(): void } {
  let give = (): void => undefined;
  const given = new Promise<void>((resolve) => (give = resolve));
  return { given, give: () => give() };
}

test('a plugin whose install took too long adds nothing and hears nothing any more', async () => {
  const { switchboard, chat } = await PluginHome.start({});
  const clock = new FakeClock();
  const heard: string[] = [];
  const begun = signal();
  const released = signal();
  const refused = (step: () => void): string => {
    try {
      step();
      return 'taken';
    } catch (error) {
      return String(error);
    }
  };
  let added: string[] = [];
  const late = definePlugin({
    name: 'late',
    observes: ['agent.outcome'],
    async install({ add, bus, routes }) {
      begun.give();
      await released.given;
      added = [
        refused(() => bus.subscribe('agent.outcome', ({ cid }) => void heard.push(cid))),
        refused(() => add('agent', { name: 'ghost', description: '', run: () => 'boo' })),
        refused(() => routes('operator', () => undefined)),
      ];
    },
  });
  const core = { ...switchboard.core, clock };
  const plugins = new AddedPlugins({
    bus: switchboard.bus,
    core,
    mount: () => undefined,
    importModule: () => Promise.resolve({ value: late, path: '/nowhere/late.js' }),
  });
  const starting = plugins.start([{ name: 'late', source: 'late', module: 'late' }]);
  await begun.given;
  clock.advance(10_000);
  await starting;
  expect(core.plugins.list()).toMatchObject([
    { name: 'late', state: 'failed', problem: expect.stringContaining('10 s') },
  ]);
  released.give();
  await new Promise((resolve) => setImmediate(resolve));
  const given = expect.stringContaining('the plugin late does not run');
  expect(added).toEqual([expect.stringContaining('does not run any more'), given, given]);
  expect(core.registry.find('ghost', 'operator')).toBeUndefined();
  await chat('demo', 'hello');
  await switchboard.bus.drain();
  expect(heard).toEqual([]);
  await plugins.stop();
});

test('a plugin that is told of the stop, and fails later, is reported', async () => {
  const { switchboard } = await PluginHome.start({});
  const { core } = switchboard;
  const drain = (): Promise<never> => Promise.reject(new Error('not now'));
  const value = definePlugin({ name: 'slow', install: () => ({ drain }) });
  const plugins = new AddedPlugins({
    bus: switchboard.bus,
    core,
    mount: () => undefined,
    importModule: () => Promise.resolve({ value, path: '/nowhere/slow.js' }),
  });
  await plugins.start([{ name: 'slow', source: 'slow', module: 'slow' }]);
  plugins.drain();
  await plugins.stop();
  expect(core.plugins.list()).toMatchObject([{ faults: 1, lastFault: 'drain: not now' }]);
});
