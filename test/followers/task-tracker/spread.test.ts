// Many watches on one process: their looks at the peer are spread, at a start above all, and who waits for one is not
// kept waiting for the others.
import { expect, test } from '@jest/globals';
import { Pace } from '../../../plugins/followers/task-tracker/pace.js';
import { FakeClock } from '../../support/fake-clock.js';
import { tempTracker, type TrackerWorld } from './tracker-world.js';

const COUNT = 600;
const MOST_A_SECOND = 51;

const tracker = tempTracker();

/** Looks at the peer in each of the next seconds. */
async function looks(world: TrackerWorld, seconds: number): Promise<number[]> {
  const counts: number[] = [];
  for (let second = 0; second < seconds; second++) {
    const before = world.peer.count('get');
    // In steps smaller than the gap between two looks, since what a look leads to needs no time but a turn of the loop.
    for (let step = 0; step < 4; step++) await world.pass(250);
    counts.push(world.peer.count('get') - before);
  }
  return counts;
}

test('after a restart each of many watches is looked at soon, and no second holds more than its share', async () => {
  const world = await tracker.start();
  world.followSeconds = 0;
  await world.restart();
  world.peer.offers = { streaming: false, push: false, list: true };
  await world.beginMany(COUNT);
  expect(world.ledger.ledger.watches.all()).toHaveLength(COUNT);
  const before = world.peer.count('get');
  await world.restart();
  const first = world.peer.count('get') - before;
  const after = await looks(world, 15);
  expect(first).toBeLessThan(MOST_A_SECOND);
  expect(Math.max(...after)).toBeLessThanOrEqual(MOST_A_SECOND);
  const firstLooks = first + after.slice(0, Math.ceil(COUNT / 50)).reduce((sum, count) => sum + count, 0);
  expect(firstLooks).toBeGreaterThanOrEqual(COUNT);
});

test('one that somebody asks for does not wait for the others', async () => {
  const world = await tracker.start();
  world.peer.offers = { streaming: false, push: false, list: true };
  await world.beginMany(COUNT);
  await world.restart();
  const last = world.ledger.ledger.watches.all().at(-1)!.taskId;
  const remote = world.ledger.ledger.get(last)!.envelope.remote!.taskId!;
  // All are taken up by then, and most not yet looked at.
  await looks(world, 2);
  world.peer.set(remote, 'TASK_STATE_COMPLETED', 'done');
  await world.settle();
  const state = (): unknown => world.ledger.ledger.get(last)!.task.status.state;
  expect(state()).toBe('TASK_STATE_WORKING');
  await world.look(last);
  expect(state()).toBe('TASK_STATE_COMPLETED');
});

test('watches that are followed closely do not wait for each other', async () => {
  const world = await tracker.start();
  world.peer.offers = { streaming: false, push: false, list: true };
  await world.beginMany(COUNT);
  const before = world.peer.count('get');
  await looks(world, 2);
  expect(world.peer.count('get') - before).toBeGreaterThanOrEqual(COUNT);
});

test('moments that a standstill let pass are not made up for', () => {
  const clock = new FakeClock();
  const pace = new Pace(clock, () => 3);
  const given: string[] = [];
  expect([pace.takeNow(), pace.takeNow()]).toEqual([true, false]);
  for (const name of ['a', 'b', 'c']) pace.next(() => given.push(name));
  clock.jump(60_000);
  expect(given).toEqual(['a']);
  clock.advance(39);
  expect(given).toEqual(['a', 'b']);
  clock.advance(1);
  expect(given).toEqual(['a', 'b', 'c']);
});

test('a moment that is not wanted any more goes to the next', () => {
  const clock = new FakeClock();
  const pace = new Pace(clock, () => 3);
  const given: string[] = [];
  pace.takeNow();
  const cancel = pace.next(() => given.push('a'));
  pace.next(() => given.push('b'));
  cancel();
  clock.advance(20);
  expect([given, pace.takeNow()]).toEqual([['b'], false]);
  clock.advance(20);
  expect(pace.takeNow()).toBe(true);
});

test('when the clock is set back, looks go on at their pace', () => {
  const clock = new FakeClock();
  const pace = new Pace(clock, () => 100);
  expect(pace.takeNow()).toBe(true);
  clock.setBack(86_400_000);
  let looked = false;
  pace.next(() => (looked = true));
  clock.advance(1_000);
  expect(looked).toBe(true);
});
