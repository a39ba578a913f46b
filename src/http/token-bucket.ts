// The request rate per caller: a pure token bucket, and a bounded set of them.
import type { Clock } from '../clock.js';
import { keepNewest } from '../keep-newest.js';

interface Rate {
  /** Tokens that come back per minute. */
  perMinute: number;
  /** The most tokens a bucket holds. */
  burst: number;
}

interface Bucket {
  tokens: number;
  /** When `tokens` was right, in milliseconds since the epoch. */
  at: number;
}

/**
 * Takes one token at `now`; a missing bucket is a full one. `retryAfter` is 0 when the token was there, else the whole
 * seconds until one will be.
 */
export function takeToken(bucket: Bucket | undefined, now: number, rate: Rate): { bucket: Bucket; retryAfter: number } {
  const refilled = bucket ? bucket.tokens + (Math.max(0, now - bucket.at) * rate.perMinute) / 60_000 : rate.burst;
  const tokens = Math.min(rate.burst, refilled);
  if (tokens >= 1) return { bucket: { tokens: tokens - 1, at: now }, retryAfter: 0 };
  return { bucket: { tokens, at: now }, retryAfter: Math.max(1, Math.ceil(((1 - tokens) * 60) / rate.perMinute)) };
}

/** Buckets by name. The one unused for longest is forgotten beyond `capacity`: its owner starts with a full bucket. */
export class RateLimiter {
  private readonly buckets = new Map<string, Bucket>();

  constructor(
    private readonly rate: Rate,
    private readonly clock: Pick<Clock, 'now'>,
    private readonly capacity = 10_000,
  ) {}

  /** Takes a token of `name`. 0, or the seconds until the next one. */
  take(name: string): number {
    const { bucket, retryAfter } = takeToken(this.buckets.get(name), this.clock.now(), this.rate);
    keepNewest(this.buckets, name, bucket, this.capacity);
    return retryAfter;
  }

  get size(): number {
    return this.buckets.size;
  }
}
