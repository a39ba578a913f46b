// Whether the home's plugins can be used: what the running server says, else what becomes of their code when it is read.
import { systemClock } from '../clock.js';
import type { Config } from '../config.js';
import { errorText } from '../errors.js';
import { pluginsDir } from '../home.js';
import { inTime } from '../in-time.js';
import { START_MS } from '../installation/added-plugins.js';
import { findPlugins } from '../installation/find-plugins.js';
import { moduleImporter } from '../installation/import-plugin.js';
import { readPlugin } from '../installation/read-plugin.js';
import type { PluginsAnswer } from '../operator-wire.js';
import type { Finding } from './doctor-checks.js';

const ADVICE = 'Correct it, or take it away, and start the server again; all the others run without it.';

/** What the server tells of its plugins. */
export const pluginFindings = (plugins: PluginsAnswer['plugins']): Finding[] =>
  plugins.map(({ name, state, problem, faults, lastFault }) => {
    if (state === 'failed') return bad(name, problem ?? 'it does not run');
    if (faults === 0) return { check: 'plugins', level: 'ok', text: `${name} is ${state}` };
    return { check: 'plugins', level: 'warning', text: `${name} did ${faults} things wrong, last: ${lastFault}` };
  });

/** Without a server: every plugin's code is read, and nothing is installed. */
export async function readPlugins({ home, plugins }: Config): Promise<Finding[]> {
  const folder = pluginsDir(home);
  const importModule = moduleImporter(folder);
  const findings: Finding[] = [];
  for (const found of findPlugins(folder, plugins)) {
    try {
      const { value } = await inTime(systemClock, START_MS, 'loading', () => importModule(found));
      findings.push({ check: 'plugins', level: 'ok', text: `${readPlugin(value).name} can be read` });
    } catch (error) {
      findings.push(bad(found.source, `it can't be loaded: ${errorText(error)}`));
    }
  }
  return findings;
}

const bad = (name: string, why: string): Finding => ({
  check: 'plugins',
  level: 'problem',
  text: `${name}: ${why}`,
  advice: ADVICE,
});
