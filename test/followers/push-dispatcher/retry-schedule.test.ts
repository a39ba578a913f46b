import {
  DELAYS_MS,
  MAX_RETRY_AFTER_MS,
  MAX_TRIES,
  retryAfterMs,
  TRY_MS,
  verdictOf,
  type Outcome,
} from '../../../plugins/followers/push-dispatcher/retry-schedule.js';

const MIDDLE = 0.5;
const now = Date.parse('2026-01-01T00:00:00.000Z');

describe('the retry schedule', () => {
  it('gives a try ten seconds and waits 1 s, 5 s, 30 s, 2 min, 10 min and an hour', () => {
    expect(TRY_MS).toBe(10_000);
    const waits = DELAYS_MS.map((_, i) => verdictOf({ status: 500 }, i + 1, MIDDLE));
    expect(waits).toEqual(
      [1, 5, 30, 120, 600, 3600].map((seconds) => ({ kind: 'retry', waitMs: seconds * 1_000, reason: 'status' })),
    );
    expect(verdictOf({ status: 500 }, MAX_TRIES, MIDDLE)).toEqual({ kind: 'dead', reason: 'status' });
  });

  it('spreads those who failed together by a fifth to either side', () => {
    const waits = [0, MIDDLE, 1].map((random) => verdictOf({ failure: 'timeout' }, 2, random));
    expect(waits.map((verdict) => 'waitMs' in verdict && verdict.waitMs)).toEqual([4_000, 5_000, 6_000]);
  });

  it.each<[Outcome, string]>([
    [{ status: 200 }, 'delivered'],
    [{ status: 299 }, 'delivered'],
    [{ status: 199 }, 'retry'],
    [{ status: 304 }, 'retry'],
    [{ status: 302, failure: 'redirect' }, 'retry'],
    [{ status: 200, failure: 'bad-answer' }, 'retry'],
    [{ status: 400 }, 'retry'],
    [{ status: 404 }, 'retry'],
    [{ status: 410 }, 'gone'],
    [{ status: 429 }, 'retry'],
    [{ failure: 'not-allowed' }, 'retry'],
    [{}, 'retry'],
  ])('%j means %s', (outcome, kind) => {
    expect(verdictOf(outcome, 1, MIDDLE).kind).toBe(kind);
  });

  it('waits as long as the receiver asks, never shorter than the table and never longer than an hour', () => {
    const wait = (asked: number, attempt: number): unknown =>
      verdictOf({ status: 429, retryAfterMs: asked }, attempt, 0);
    expect(wait(7_000, 1)).toMatchObject({ waitMs: 7_000 });
    expect(wait(7_000, 3)).toMatchObject({ waitMs: 24_000 });
    expect(wait(Number.MAX_SAFE_INTEGER, 1)).toMatchObject({ waitMs: MAX_RETRY_AFTER_MS });
    expect(verdictOf({ status: 503, retryAfterMs: 1 }, MAX_TRIES, 0)).toMatchObject({ kind: 'dead' });
  });

  it.each([
    ['120', 120_000],
    [' 0 ', 0],
    ['99999999999999', 99_999_999_999_999_000],
    ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
    ['Wed, 31 Dec 2025 23:00:00 GMT', 0],
    ['2026-01-01T00:01:00Z', undefined],
    ['-5', undefined],
    ['1e9', undefined],
    ['soon', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('reads the Retry-After %j as %j ms', (header, expected) => {
    expect(retryAfterMs(header, now)).toBe(expected);
  });
});
