import { describe, expect, it } from '@jest/globals';
import { RateLimiter, takeToken } from '../../src/http/token-bucket.js';
import { FakeClock } from '../support/fake-clock.js';

const rate = { perMinute: 60, burst: 3 };

describe('takeToken', () => {
  it.each([
    ['a first request finds a full bucket', undefined, 0, 0, 2],
    ['the last token is given', { tokens: 1, at: 0 }, 0, 0, 0],
    ['an empty bucket refuses and tells when to come back', { tokens: 0, at: 0 }, 0, 1, 0],
    ['half a token is not enough', { tokens: 0, at: 0 }, 500, 1, 0.5],
    ['a token comes back every second', { tokens: 0, at: 0 }, 1000, 0, 0],
    ['a bucket never holds more than its burst', { tokens: 0, at: 0 }, 3_600_000, 0, 2],
    ['a clock that went back takes nothing away', { tokens: 2, at: 10_000 }, 0, 0, 1],
  ])('%s', (_name, bucket, now, retryAfter, left) => {
    const taken = takeToken(bucket, now, rate);
    expect(taken.retryAfter).toBe(retryAfter);
    expect(taken.bucket.tokens).toBeCloseTo(left);
  });
});

describe('RateLimiter', () => {
  it('counts each name for itself', () => {
    const limiter = new RateLimiter({ perMinute: 6, burst: 1 }, new FakeClock());
    expect([limiter.take('a'), limiter.take('a'), limiter.take('b')]).toEqual([0, 10, 0]);
  });

  it('forgets the name unused for longest when it is full', () => {
    const limiter = new RateLimiter({ perMinute: 6, burst: 1 }, new FakeClock(), 2);
    for (const name of ['a', 'b', 'a', 'c']) limiter.take(name);
    expect(limiter.size).toBe(2);
    expect(limiter.take('b')).toBe(0);
    expect(limiter.take('c')).toBe(10);
  });
});
