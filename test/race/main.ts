// `npm run race -- [--rounds 1000] [--seed n]`: every race, with how often each side won.
import { parseArgs } from 'node:util';
import { RACES, raceRun } from './race-run.js';

const { values } = parseArgs({ options: { rounds: { type: 'string' }, seed: { type: 'string' } } });
const rounds = Number(values.rounds ?? 1000);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
for (const race of RACES) {
  const { outcomes, problems } = await raceRun(race, rounds, seed);
  console.log(`${race}: ${rounds} rounds, seed ${seed}, ${JSON.stringify(outcomes)}`);
  for (const problem of problems) console.log(`  ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
}
