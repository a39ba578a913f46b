import { describe, expect, it } from '@jest/globals';
import { OpenStreams, type Endable, type StreamGroup } from '../../src/http/open-streams.js';
import { FakeClock } from '../support/fake-clock.js';

const OWNERS: Record<string, string> = { k1: 'demo/ann', k2: 'demo/ann', k3: 'demo/bob' };

function start(limits = { perCaller: 2, total: 3 }) {
  const clock = new FakeClock();
  const owners: Record<string, string | undefined> = { ...OWNERS };
  const gone = new Set<string>();
  const isCaller = (id: string): boolean => !gone.has(id);
  const streams = new OpenStreams({ limits, clock, ownerOf: (hash) => owners[hash], isCaller });
  const ended: string[] = [];
  const open = (keyHash: string | undefined, caller = OWNERS[keyHash ?? ''] ?? 'operator') => {
    const stream: Endable = { stop: () => void (ended.push(keyHash ?? ''), group.release(stream)) };
    const group: StreamGroup = streams.take(caller, keyHash, stream);
    return { release: () => group.release(stream) };
  };
  return { clock, owners, gone, streams, ended, open };
}

const codeOf = (work: () => unknown): string | undefined => {
  try {
    work();
    return undefined;
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('open streams', () => {
  it('are limited per caller, over all of its keys', () => {
    const { open } = start();
    open('k1');
    open('k2');
    expect([codeOf(() => open('k1')), codeOf(() => open('k3'))]).toEqual(['rate-limited', undefined]);
  });

  it('are limited overall', () => {
    const { open } = start();
    open('k1');
    open('k1');
    open('k3');
    expect(codeOf(() => open('k3'))).toBe('overloaded');
  });

  it('give their place back once', () => {
    const { open, streams } = start();
    const first = open('k1');
    open('k1');
    first.release();
    first.release();
    expect([streams.open, streams.of('demo/ann')]).toEqual([1, 1]);
    expect(codeOf(() => open('k2'))).toBeUndefined();
    expect(codeOf(() => open('k2'))).toBe('rate-limited');
  });

  it('end within a second of their key, and those of other keys go on', () => {
    const { clock, owners, open, ended, streams } = start({ perCaller: 10, total: 10 });
    for (const key of ['k1', 'k1', 'k2', 'k3']) open(key);
    clock.advance(1_000);
    expect(ended).toEqual([]);
    owners['k1'] = undefined;
    clock.advance(1_000);
    expect([ended, streams.open]).toEqual([['k1', 'k1'], 2]);
  });

  it('end when their key became somebody else’s', () => {
    const { clock, owners, open, ended } = start();
    open('k1');
    owners['k1'] = 'demo/bob';
    clock.advance(1_000);
    expect(ended).toEqual(['k1']);
  });

  it('of whoever needs no key go on until the caller is revoked', () => {
    const { clock, gone, open, ended } = start();
    open(undefined, 'demo/ann');
    clock.advance(5_000);
    expect(ended).toEqual([]);
    gone.add('demo/ann');
    clock.advance(1_000);
    expect(ended).toEqual(['']);
  });

  it('need no timer when there are none', () => {
    const { clock, open } = start();
    open('k1').release();
    expect(clock.pending).toBe(0);
  });
});
