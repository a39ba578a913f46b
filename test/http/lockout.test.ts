import { describe, expect, it } from '@jest/globals';
import { countFailure, Lockout, networkOf, type Failures } from '../../src/http/lockout.js';
import { FakeClock } from '../support/fake-clock.js';

const RULE = { failures: 20, seconds: 60 };

function start(capacity?: number): {
  clock: FakeClock;
  lockout: Lockout;
  guess(times: number, address?: string): void;
} {
  const clock = new FakeClock();
  const lockout = new Lockout(RULE, clock, capacity);
  const guess = (times: number, address = '10.0.0.1'): void => {
    for (let i = 0; i < times; i++) lockout.failed(address);
  };
  return { clock, lockout, guess };
}

describe('wrong keys', () => {
  it('lock an address at the twentieth within a minute, for a minute', () => {
    const { clock, lockout, guess } = start();
    guess(19);
    expect(lockout.secondsLeft('10.0.0.1', 'k')).toBe(0);
    guess(1);
    expect([lockout.secondsLeft('10.0.0.1', 'k'), lockout.secondsLeft('10.0.0.2', 'k')]).toEqual([60, 0]);
    clock.advance(59_001);
    expect(lockout.secondsLeft('10.0.0.1', 'k')).toBe(1);
    clock.advance(1_000);
    expect(lockout.secondsLeft('10.0.0.1', 'k')).toBe(0);
  });

  it('that come slowly lock nobody', () => {
    const { clock, lockout, guess } = start();
    for (let minute = 0; minute < 5; minute++) {
      guess(19);
      clock.advance(60_000);
    }
    expect(lockout.locks).toBe(0);
  });

  it('lock again after the lock, and are counted as locks', () => {
    const { clock, lockout, guess } = start();
    guess(20);
    clock.advance(60_000);
    guess(20);
    expect([lockout.locks, lockout.locked, lockout.secondsLeft('10.0.0.1', 'k')]).toEqual([2, 1, 60]);
  });

  it('spare a key that worked from that address within the hour, and no other', () => {
    const { clock, lockout, guess } = start();
    lockout.worked('10.0.0.1', 'good');
    lockout.worked('10.0.0.2', 'elsewhere');
    guess(20);
    const left = (key: string): number => lockout.secondsLeft('10.0.0.1', key);
    expect([left('good'), left('elsewhere'), left('guess')]).toEqual([0, 60, 60]);
    clock.advance(3_600_000);
    guess(20);
    expect(left('good')).toBe(60);
  });

  it('of a key that worked before do not end the lock', () => {
    const { lockout, guess } = start();
    guess(20);
    guess(1);
    expect(lockout.secondsLeft('10.0.0.1', 'k')).toBe(60);
  });

  it('take a bounded memory, however many addresses they come from', () => {
    const { lockout } = start(100);
    for (let i = 0; i < 5_000; i++) {
      lockout.failed(`10.0.${i >> 8}.${i & 255}`);
      lockout.worked(`10.1.${i >> 8}.${i & 255}`, 'k');
    }
    expect(lockout.size).toBe(200);
  });

  it('lock for no longer because the clock was set back', () => {
    const { clock, lockout, guess } = start();
    guess(20);
    clock.setBack(86_400_000);
    expect([lockout.secondsLeft('10.0.0.1', 'k'), lockout.locked]).toEqual([0, 0]);
    guess(20);
    expect([lockout.secondsLeft('10.0.0.1', 'k'), lockout.locked]).toEqual([60, 1]);
  });

  it('count anew when the clock was set back', () => {
    const before: Failures = { count: 19, since: 1_000_000, lockedUntil: 0 };
    expect(countFailure(before, 500_000, RULE).count).toBe(1);
  });
});

describe('the network of an address', () => {
  it.each([
    ['10.0.0.1', '10.0.0.1'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:0db8:0001:0002::1', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['2001:db8:1:2:3::', '2001:db8:1:2'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['1::4:5:6:7:8', '1:0:0:4'],
    ['10.0.0.1:50123', '10.0.0.1'],
    ['[2001:db8:1:2:3::4]:443', '2001:db8:1:2'],
    ['[::ffff:10.0.0.1]', '10.0.0.1'],
    ['', ''],
  ])('of %s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
