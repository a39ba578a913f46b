// `npm run fuzz -- --requests N [--seed S]`: hostile requests against the real server. Exits with 0 when each got a
// proper answer, nothing was created that should not be, and the process still serves.
import { parseArgs } from 'node:util';
import { ensureBuilt } from '../support/compiled-server.js';
import { fuzzRun } from './fuzz-run.js';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '10000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
  },
});
const [requests, seed] = [Number(values.requests), Number(values.seed)];
if (!(requests > 0) || !Number.isInteger(seed)) {
  console.error('usage: npm run fuzz -- --requests N [--seed S]');
  process.exit(2);
}

ensureBuilt();
console.error(`seed ${seed}`);
const report = await fuzzRun({ requests, seed });
for (const problem of report.problems) console.error(problem);
console.log(
  JSON.stringify({ seed, requests: report.requests, statuses: report.statuses, problems: report.problems.length }),
);
process.exitCode = report.problems.length === 0 ? 0 : 1;
