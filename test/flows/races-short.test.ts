// A short run of each race; `npm run race` runs as many rounds as one likes.
import { expect, it } from '@jest/globals';
import { RACES, raceRun } from '../race/race-run.js';

it.each(RACES)('the race of %s has one end, one sequence, and a store that agrees', async (race) => {
  const report = await raceRun(race, 50, 20_260_101);
  expect(report.problems).toEqual([]);
  expect(Object.values(report.outcomes).reduce((sum, count) => sum + count, 0)).toBe(50);
});
