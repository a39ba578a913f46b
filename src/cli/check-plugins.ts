// Whether the home's plugins can be used: what the running server says, else what becomes of their code when it is read.
import { systemClock } from '../clock.js';
import type { Config } from '../config.js';
import { setImmediate as turn } from 'node:timers/promises';
import { errorText } from '../errors.js';
import { pluginsDir } from '../home.js';
import { inTime } from '../in-time.js';
import { START_MS } from '../installation/added-plugins.js';
import { findPlugins } from '../installation/find-plugins.js';
import { moduleImporter } from '../installation/import-plugin.js';
import { PluginReports } from '../installation/plugin-reports.js';
import { readPlugin } from '../installation/read-plugin.js';
import { createLogger, silentLogger } from '../log.js';
import { Secrets } from '../secrets/secrets.js';
import type { PluginsAnswer } from '../operator-wire.js';
import { underWatch } from './crash-watch.js';
import type { Finding } from './doctor-checks.js';

const ADVICE = 'Correct it, or take it away, and start the server again; all the others run without it.';

/** What the server tells of its plugins. */
export const pluginFindings = (plugins: PluginsAnswer['plugins']): Finding[] =>
  plugins.map(({ name, state, problem, faults, lastFault }) => {
    if (state === 'failed') return bad(name, problem ?? 'it does not run');
    if (faults === 0) return { check: 'plugins', level: 'ok', text: `${name} is ${state}` };
    return { check: 'plugins', level: 'warning', text: `${name} did ${faults} things wrong, last: ${lastFault}` };
  });

/** Without a server: every plugin's code is read, and nothing is installed. `end` is for what is no plugin's fault. */
export async function readPlugins({ home, plugins }: Config, end: (code: number) => void): Promise<Finding[]> {
  const folder = pluginsDir(home);
  const importModule = moduleImporter(folder);
  const reports = new PluginReports(silentLogger(), (text) => text);
  const read: Finding[] = [];
  await underWatch(end, async (begin) => {
    begin({ plugins: reports, log: createLogger('warn', new Secrets()) });
    for (const found of findPlugins(folder, plugins)) {
      reports.found(found.source, found.path);
      try {
        const { value, path } = await inTime(systemClock, START_MS, 'loading', () => importModule(found));
        const { name } = readPlugin(value);
        reports.named(found.source, name, path);
        read.push({ check: 'plugins', level: 'ok', text: `${name} can be read` });
      } catch (error) {
        reports.unusable(found.source, `it can't be loaded: ${errorText(error)}`);
      }
    }
    // What was thrown meanwhile is told now.
    await turn();
  });
  return [...read, ...pluginFindings(reports.list()).filter(({ level }) => level !== 'ok')];
}

const bad = (name: string, why: string): Finding => ({
  check: 'plugins',
  level: 'problem',
  text: `${name}: ${why}`,
  advice: ADVICE,
});
