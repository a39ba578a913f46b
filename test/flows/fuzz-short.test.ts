// A short run of `npm run fuzz`.
import { fuzzRun } from '../fuzz/fuzz-run.js';
import { ensureBuilt } from '../support/compiled-server.js';

beforeAll(ensureBuilt);

it('answers hostile requests properly, creates nothing for them, and goes on serving', async () => {
  const report = await fuzzRun({ requests: 1_200, seed: 20_260_101 });
  expect(report.problems).toEqual([]);
  expect(report.requests).toBe(1_200);
  // Both kinds must occur, or the generator tests nothing.
  expect(report.statuses[200]).toBeGreaterThan(100);
  expect((report.statuses[400] ?? 0) + (report.statuses[404] ?? 0)).toBeGreaterThan(100);
});
