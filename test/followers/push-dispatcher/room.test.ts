import { Room, type Limits } from '../../../plugins/followers/push-dispatcher/room.js';

const room = (limits: Partial<Limits> = {}): Room =>
  new Room({
    quick: 4,
    quickPerCaller: 2,
    slow: 4,
    slowPerCaller: 2,
    perHost: 2,
    perCallerAtHost: 2,
    perDoubtfulHost: 1,
    hosts: 3,
    ...limits,
  });

describe('the room for calls to webhooks', () => {
  it('is so large overall, for one caller and for one host', () => {
    const r = room();
    expect([r.enter('a', 'h1'), r.enter('a', 'h2')].every(Boolean)).toBe(true);
    expect(r.fullFor('a')).toBe(true);
    expect(r.enter('a', 'h3')).toBeUndefined();
    expect(r.enter('b', 'h1')).toBeDefined();
    expect(r.enter('c', 'h1')).toBeUndefined();
    expect([r.enter('b', 'h3')].every(Boolean)).toBe(true);
    expect(r.full).toBe(true);
    expect(r.enter('c', 'h5')).toBeUndefined();
  });

  it('has few places at a host until that has answered, and few again after it hung or failed', () => {
    const r = room();
    const first = r.enter('a', 'h');
    expect(r.freeAt('a', 'h')).toBe(0);
    first?.leave('answered');
    expect(r.freeAt('a', 'h')).toBe(2);
    const [second, third] = [r.enter('a', 'h'), r.enter('a', 'h')];
    expect(r.freeAt('a', 'h')).toBe(0);
    second?.leave('hung');
    third?.leave('failed');
    expect(r.freeAt('a', 'h')).toBe(1);
  });

  it('judges a host for each caller by that one’s own calls, for many may have their webhooks at the same', () => {
    const r = room({ perHost: 3 });
    r.enter('b', 'shared')?.leave('answered');
    r.enter('a', 'shared')?.leave('hung');
    expect(r.enter('a', 'shared')).toBeDefined();
    expect([r.freeAt('a', 'shared'), r.freeAt('b', 'shared')]).toEqual([0, 2]);
    const quick = r.enter('b', 'shared');
    expect([r.runningAt('a', 'shared'), r.runningAt('b', 'shared'), r.freeAt('b', 'shared')]).toEqual([1, 1, 1]);
    quick?.leave('answered');
    expect(r.freeAt('b', 'shared')).toBe(2);
  });

  it('has places for slow calls, so that those that hang leave theirs to quick ones', () => {
    const r = room({ quick: 1, quickPerCaller: 1 });
    const hanging = r.enter('a', 'h1');
    expect(r.enter('a', 'h2')).toBeUndefined();
    hanging?.slow();
    const second = r.enter('a', 'h2');
    expect(second).toBeDefined();
    second?.slow();
    const third = r.enter('a', 'h3');
    third?.slow();
    // The caller has as many slow ones as it may: the third stays where it is.
    expect(r.enter('a', 'h4')).toBeUndefined();
    hanging?.leave('hung');
    third?.slow();
    expect(r.enter('a', 'h4')).toBeDefined();
  });

  it('gives a host that hung last time a slow place from the start', () => {
    const r = room({ quick: 1, quickPerCaller: 1 });
    r.enter('a', 'h1')?.leave('hung');
    expect(r.enter('a', 'h1')).toBeDefined();
    expect(r.enter('a', 'h2')).toBeDefined();
  });

  it('lets a host that hung last time wait for a slow place, so that a few callers can not fill the quick ones', () => {
    const r = room({ slow: 1, slowPerCaller: 1 });
    for (const host of ['h1', 'h2']) r.enter('a', host)?.leave('hung');
    const again = r.enter('a', 'h1');
    expect(again).toBeDefined();
    expect(r.enter('a', 'h2')).toBeUndefined();
    expect([r.enter('a', 'h3'), r.enter('b', 'h4')].every(Boolean)).toBe(true);
    again?.leave('answered');
    expect(r.enter('a', 'h2')).toBeDefined();
  });

  it('forgets hosts that were not called for the longest time, but none that is being called', () => {
    const r = room({ quick: 100, quickPerCaller: 100 });
    r.enter('a', 'kept');
    for (let i = 0; i < 10; i++) r.enter('a', `h${i}`)?.leave('answered');
    expect([r.freeAt('a', 'kept'), r.freeAt('a', 'h0'), r.freeAt('a', 'h9')]).toEqual([0, 1, 2]);
  });
});
