// Waiting for a plugin, which may take for ever.
import { describe, expect, test } from '@jest/globals';
import { inTime } from '../src/in-time.js';
import { FakeClock } from './support/fake-clock.js';

/** Timers that keep the process alive. */
const alive = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

describe('waiting in time', () => {
  test.each<[string, () => unknown, number]>([
    ['what it waits for is done', () => 'done', 0],
    ['what it waits for failed', () => Promise.reject(new Error('no')), 0],
    ['the time is up', () => new Promise(() => undefined), 10_000],
  ])('keeps the process alive until %s, and no longer', async (_what, work, ms) => {
    const clock = new FakeClock();
    const before = alive();
    const waiting = inTime(clock, 10_000, 'it', work).catch(String);
    expect(alive()).toBe(before + 1);
    clock.advance(ms);
    await waiting;
    await Promise.resolve();
    expect([alive(), clock.pending]).toEqual([before, 0]);
  });

  test('says what took too long', async () => {
    const clock = new FakeClock();
    const waiting = inTime(clock, 10_000, 'loading', () => new Promise(() => undefined));
    clock.advance(10_000);
    await expect(waiting).rejects.toThrow('loading did not finish within 10 s');
  });
});
