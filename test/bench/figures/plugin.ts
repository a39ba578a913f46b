// What an agent of a plugin costs: blocking sends to one, against the same sends to the scripted driver.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTestHome } from '../../support/test-home.js';
import { alternate, median, type BenchOptions, type Figure, type Group } from '../figure.js';
import { freshFolder } from '../fresh-folder.js';
import { load } from '../load.js';
import { send } from '../requests.js';
import { onHome } from '../servers.js';

/** Requests before anything is measured. */
const WARM_UP = 6_000;
/** Share of the scripted driver's throughput that has to be left. */
const LEFT = 0.85;

const PLUGIN = `import { defineAgent } from 'a2a-switchboard';
export default defineAgent({ name: 'echo', description: 'Echoes.', run: async ({ text }) => 'echo: ' + text });
`;

async function run(options: BenchOptions): Promise<Figure[]> {
  const home = makeTestHome({ below: freshFolder().path, agents: ['demo', 'echo'] });
  mkdirSync(join(home.path, 'plugins'));
  writeFileSync(join(home.path, 'plugins', 'echo.js'), PLUGIN);
  const server = await onHome(home, 'plugin');
  try {
    const targets = ['demo', 'echo'].map((agent) => ({ ...server.target, name: agent, path: `/agents/${agent}/a2a` }));
    for (const target of targets) await load(target, send, { requests: WARM_UP });
    const [scripted, plugin] = await alternate(options.rounds, targets, async (target) => {
      const { perSecond } = await load(target, send, { seconds: options.seconds, warmupSeconds: 0.5 });
      options.say(`${target.name}: ${perSecond.toFixed(0)} req/s`);
      return perSecond;
    });
    const [ours, theirs] = [median(plugin ?? []), median(scripted ?? [])];
    const ratio = ours / theirs;
    const note = "requests per second of a plugin's agent, and of the scripted driver";
    return [{ name: 'plugin-rps', ours, theirs, ratio, goal: `>= ${LEFT}x`, ok: ratio >= LEFT, note }];
  } finally {
    await server.close();
  }
}

export const pluginGroup: Group = { name: 'plugin', figures: ['plugin-rps'], byDefault: true, run };
