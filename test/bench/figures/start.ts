// From the start of the process to its listening line, with 100,000 tasks: with a current mirror, and without any.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { startSwitchboard } from '../../support/compiled-server.js';
import { atMost, median, type BenchOptions, type Figure, type Group } from '../figure.js';
import { seedHome } from '../seed.js';

const TASKS = 100_000;

async function run(options: BenchOptions): Promise<Figure[]> {
  options.say(`seeding a home with ${TASKS} tasks`);
  const { home } = await seedHome(TASKS);
  const start = async (what: string): Promise<number> => {
    const child = await startSwitchboard({ home: home.path, timeoutMs: 120_000 });
    const exit = await child.stop();
    if (exit.code !== 0) throw new Error(`stopping ended with ${JSON.stringify(exit)}: ${child.stderr()}`);
    options.say(`start ${what}: ${child.startedInMs.toFixed(0)} ms`);
    return child.startedInMs;
  };
  const rebuild: number[] = [];
  const current: number[] = [];
  for (let round = 0; round < options.rounds; round++) {
    for (const suffix of ['', '-wal', '-shm'])
      rmSync(join(home.path, 'data', `mirror.sqlite${suffix}`), { force: true });
    rebuild.push(await start('without a mirror'));
    current.push(await start('with a current mirror'));
  }
  return [atMost('start-current', median(current), 1_000, 'ms'), atMost('start-rebuild', median(rebuild), 5_000, 'ms')];
}

export const startGroup: Group = { name: 'start', figures: ['start-current', 'start-rebuild'], byDefault: true, run };
