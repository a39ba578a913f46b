// `npm run crash -- --rounds N [--seconds S] [--seed X] [--only FAILPOINT]`: kills the server at every failpoint and at
// random, and ends with one JSON line. Exits with 0 only when nothing was lost, changed or unreadable. With `--remote` the
// load is work at an agent elsewhere.
import { parseArgs } from 'node:util';
import { ensureBuilt } from '../support/compiled-server.js';
import { ALL_FAILPOINTS, crashRun } from './crash-run.js';
import { remoteCrashRun } from './remote-run.js';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '2' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    only: { type: 'string' },
    remote: { type: 'boolean', default: false },
  },
});
const [rounds, seconds, seed] = [Number(values.rounds), Number(values.seconds), Number(values.seed)];
const failpoints = ALL_FAILPOINTS.filter((point) => values.only === undefined || point === values.only);
if (
  !(rounds >= 0) ||
  !(seconds > 0) ||
  !Number.isInteger(seed) ||
  (failpoints.length === 0 && values.only !== 'none')
) {
  console.error('usage: npm run crash -- --rounds N [--seconds S] [--seed X] [--only FAILPOINT|none]');
  process.exit(2);
}

ensureBuilt();
console.error(`seed ${seed}`);
const say = (text: string): void => console.error(text);
const { result, problems } = values.remote
  ? await remoteCrashRun({ rounds, seed, say })
  : await crashRun({ rounds, seconds, seed, failpoints, say });
for (const problem of problems.slice(0, 200)) console.error(problem);
console.log(JSON.stringify(result));
process.exitCode = problems.length === 0 ? 0 : 1;
