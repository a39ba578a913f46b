import { describe, expect, it } from '@jest/globals';
import { KeyUses } from '../../src/http/key-uses.js';
import { silentLogger } from '../../src/log.js';
import type { KeyUse } from '../../src/mirror/rows.js';
import { FakeClock } from '../support/fake-clock.js';

const HASH = 'a1'.repeat(32);
const ID = HASH.slice(0, 16);

function start(stored: KeyUse[] = [], fails = false) {
  const clock = new FakeClock();
  const saved: KeyUse[][] = [];
  const store = {
    load: () => stored,
    save: (uses: readonly KeyUse[]) => {
      if (fails) throw new Error('the disk is full');
      saved.push(uses.map((use) => ({ ...use })));
    },
  };
  return { clock, saved, uses: new KeyUses({ store, clock, log: silentLogger() }) };
}

describe('the uses of keys', () => {
  it('are counted at once and written later, all together', () => {
    const { clock, saved, uses } = start();
    uses.note(HASH, 'demo/ann');
    clock.advance(1_000);
    uses.note(HASH, 'demo/ann');
    const use = { lastUsedAt: clock.now(), requests: 2 };
    expect([uses.of(ID, 'demo/ann'), saved]).toMatchObject([use, []]);
    clock.advance(30_000);
    expect(saved).toEqual([[{ id: ID, caller: 'demo/ann', ...use }]]);
    clock.advance(60_000);
    expect([saved.length, clock.pending]).toEqual([1, 0]);
  });

  it('go on from what was written before', () => {
    const { uses } = start([{ id: ID, caller: 'demo/ann', lastUsedAt: 5, requests: 7 }]);
    expect(uses.of(ID, 'demo/ann')).toMatchObject({ lastUsedAt: 5, requests: 7 });
    uses.note(HASH, 'demo/ann');
    expect(uses.of(ID, 'demo/ann')?.requests).toBe(8);
  });

  it('begin anew with a key that moved to another caller', () => {
    const { uses } = start([{ id: ID, caller: 'demo/ann', lastUsedAt: 5, requests: 7 }]);
    expect(uses.of(ID, 'demo/bob')).toBeUndefined();
    uses.note(HASH, 'demo/bob');
    expect(uses.of(ID, 'demo/bob')?.requests).toBe(1);
  });

  it('harm nothing when they can’t be written', () => {
    const { clock, uses } = start([], true);
    uses.note(HASH, 'demo/ann');
    clock.advance(30_000);
    expect(uses.of(ID, 'demo/ann')?.requests).toBe(1);
  });
});
