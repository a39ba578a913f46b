// Keys can't be guessed one after the other: an address that brings too many wrong ones is locked for a while. Whoever
// shares the address with the guesser goes on with a key that worked from there before; bounded in memory.
import type { Clock } from '../clock.js';
import { keepNewest } from '../keep-newest.js';

interface LockoutRule {
  /** Wrong keys within `seconds`. */
  failures: number;
  /** Also how long the address then stays locked. */
  seconds: number;
}

export interface Failures {
  count: number;
  /** When counting began, milliseconds since the epoch. */
  since: number;
  lockedUntil: number;
}

/** One more wrong key at `now`. */
export function countFailure(before: Failures | undefined, now: number, rule: LockoutRule): Failures {
  const period = rule.seconds * 1000;
  const fresh = !before || now - before.since >= period || now < before.since;
  const count = fresh ? 1 : before.count + 1;
  // After the lock counting begins anew; a key that was known there and is wrong by now must not end it.
  if (count >= rule.failures) return { count: 0, since: now, lockedUntil: now + period };
  return { count, since: fresh ? now : before.since, lockedUntil: before?.lockedUntil ?? 0 };
}

/** A key that worked from an address is known there for this long (ms). */
const KNOWN_MS = 3_600_000;
const CAPACITY = 10_000;

export class Lockout {
  private readonly failures = new Map<string, Failures>();
  /** When a key last worked from an address. */
  private readonly known = new Map<string, number>();
  /** Times that an address was locked. */
  locks = 0;

  constructor(
    private readonly rule: LockoutRule,
    private readonly clock: Pick<Clock, 'now'>,
    private readonly capacity = CAPACITY,
  ) {}

  /** Addresses that are locked now. */
  get locked(): number {
    const now = this.clock.now();
    return [...this.failures.values()].filter(({ lockedUntil }) => lockedUntil > now).length;
  }

  /** Addresses and pairs that are remembered. */
  get size(): number {
    return this.failures.size + this.known.size;
  }

  /** Whole seconds for which this key is not looked at when it comes from this address; 0 when it is. */
  secondsLeft(address: string, keyHash: string): number {
    const failures = this.failures.get(networkOf(address));
    const now = this.clock.now();
    if (!failures || failures.lockedUntil <= now) return 0;
    const worked = this.known.get(pairOf(address, keyHash));
    if (worked !== undefined && now - worked < KNOWN_MS) return 0;
    return Math.ceil((failures.lockedUntil - now) / 1000);
  }

  /** A wrong key came from there. True when that locked the address. */
  failed(address: string): boolean {
    const network = networkOf(address);
    const before = this.failures.get(network);
    const next = countFailure(before, this.clock.now(), this.rule);
    keepNewest(this.failures, network, next, this.capacity);
    const locked = next.lockedUntil !== (before?.lockedUntil ?? 0);
    if (locked) this.locks++;
    return locked;
  }

  /** The key proved good. */
  worked(address: string, keyHash: string): void {
    keepNewest(this.known, pairOf(address, keyHash), this.clock.now(), this.capacity);
  }
}

const pairOf = (address: string, keyHash: string): string => `${networkOf(address)} ${keyHash}`;

/** An IPv4 address, or the 64 bits of an IPv6 address that one owner has in any case. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address;
  const [head = '', tail] = (address.split('%')[0] as string).split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  while (groups.length < 4) groups.push(groups.length + after.length < 8 ? '0' : (after.shift() as string));
  return groups
    .slice(0, 4)
    .map((group) => parseInt(group, 16).toString(16))
    .join(':');
}
