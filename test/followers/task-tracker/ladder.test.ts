// The ladder as a table: which rung, for how long, and what comes after.
import { describe, expect, test } from '@jest/globals';
import {
  firstRung,
  gapMs,
  lastingRung,
  pollMs,
  questionsIn,
  reopenMs,
  sooner,
  withoutPush,
  type Means,
} from '../../../plugins/followers/task-tracker/ladder.js';

const means = (streaming: boolean, push: boolean): Means => ({ streaming, push });

describe('the ladder', () => {
  test.each<[Means, number, string]>([
    [means(true, true), 0, 'close-stream'],
    [means(false, true), 0, 'close-poll'],
    [means(true, true), 60_000, 'push'],
    [means(true, false), 60_000, 'stream'],
    [means(false, false), 60_000, 'poll'],
    [means(true, true), 59_999, 'close-stream'],
  ])('begins with what the peer offers and how old the watch is: %j after %i ms', (given, since, rung) => {
    expect(firstRung(given, since, 60_000)).toBe(rung);
  });

  test('falls from callbacks to a stream, and to questions where there is none', () => {
    expect(lastingRung(means(true, true))).toBe('push');
    expect(withoutPush(means(true, true))).toBe('stream');
    expect(withoutPush(means(false, true))).toBe('poll');
  });

  test('opens a cut stream again after 1, 5 and 15 seconds, and then no more', () => {
    expect([1, 2, 3, 4].map(reopenMs)).toEqual([1_000, 5_000, 15_000, undefined]);
  });

  test('asks ever more seldom, down to once in five minutes', () => {
    const times = [0, 1, 2, 3, 4, 5, 99].map((n) => pollMs('poll', n, 0.5));
    expect(times).toEqual([15_000, 30_000, 60_000, 120_000, 300_000, 300_000, 300_000]);
    expect([0, 1, 2, 3, 4, 9].map((n) => pollMs('close-poll', n, 0.5))).toEqual([
      1_000, 1_000, 2_000, 3_000, 5_000, 5_000,
    ]);
  });

  test('spreads questions over a fifth to either side, so that many watches do not ask at once', () => {
    expect(pollMs('poll', 0, 0)).toBe(12_000);
    expect(pollMs('poll', 0, 0.999_999)).toBe(18_000);
  });

  test('goes on after a restart where a watch of that age would be', () => {
    const seconds = [-60, 0, 14, 15, 44, 45, 104, 105, 224, 225, 86_400];
    expect(seconds.map((s) => questionsIn(s * 1000))).toEqual([0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4]);
  });

  test('keeps looks apart: 50 a second, and for very many watches as often as each needs in half of its time', () => {
    expect([0, 1, 5_000, 7_500].map(gapMs)).toEqual([20, 20, 20, 20]);
    expect(gapMs(30_000)).toBe(5);
  });

  test('ends what is held for a while up to a fifth sooner, so that what began together does not end together', () => {
    expect([0, 0.5, 1].map((random) => sooner(300_000, random))).toEqual([300_000, 270_000, 240_000]);
  });
});
