// The plugin that lets workspaces answer: registers the runner and carries words to owners onto the bus.
import { errorText } from '../../../src/errors.js';
import type { Prompt } from '../../../src/executors/contract.js';
import { inTime } from '../../../src/in-time.js';
import { definePlugin } from '../../../src/plugin.js';
import { acpDriverOf } from './drivers/acp/acp-driver.js';
import type { Driver } from '../../../src/authoring/driver.js';
import { DRIVERS } from './drivers/driver-list.js';
import { Runner, type SessionFiles } from './runner.js';

/** Characters of one notice; more is cut, since a caller decides how much an agent says. */
const MAX_NOTICE = 4_000;

/** How long a driver of a plugin may take to stop. */
const STOP_MS = 5_000;

/** `given` replaces the built-in drivers. */
export const sessionRunner = (files: SessionFiles, given?: readonly Driver[]) =>
  definePlugin({
    name: 'session-runner',
    consumes: [],
    observes: [],
    produces: ['owner.notified'],
    install({ bus, core, log }) {
      const notify = (prompt: Prompt, words: string): void => {
        if (prompt.synthetic) return;
        const text = words.slice(0, MAX_NOTICE).replace(/[\uD800-\uDBFF]$/, '');
        const notice = { workspace: prompt.agent, caller: prompt.caller.id, text, cid: prompt.cid };
        bus.publish('owner.notified', notice);
      };
      const { clock } = core;
      const drivers = given ?? [...DRIVERS, acpDriverOf(core)];
      const runner = new Runner({ core: { ...core, log }, files, drivers, notify });
      core.registry.register(runner);
      for (const driver of drivers) driver.start?.();
      const stops: (() => unknown)[] = drivers.map((driver) => () => driver.stop?.());
      core.extensions.accept('driver', (driver, by) => {
        const remove = runner.addDriver(driver, by);
        try {
          driver.start?.();
        } catch (error) {
          remove();
          throw error;
        }
        const failed = (error: unknown): void =>
          by.failed(`its driver ${driver.name} did not stop: ${errorText(error)}`, error);
        stops.push(() => inTime(clock, STOP_MS, 'stop', () => driver.stop?.()).catch(failed));
        return remove;
      });
      return {
        async stop() {
          await runner.sessions.stop();
          for (const stop of stops) await stop();
        },
      };
    },
  });
