import { describe, expect, it } from '@jest/globals';
import { MAX_KEY_USES } from '../../src/mirror/key-use-table.js';
import { tempMirrors } from './temp-mirror.js';

const mirrors = tempMirrors();
const use = (id: string, lastUsedAt: number, requests = 1) => ({ id, caller: 'demo/ann', lastUsedAt, requests });

describe('the uses of keys in the mirror', () => {
  it('are there again when it is opened, the longest unused first', () => {
    const before = mirrors.open();
    before.keyUses.save([use('b', 20), use('a', 10)]);
    before.keyUses.save([use('a', 30, 2)]);
    before.close();
    expect(mirrors.open().keyUses.load()).toEqual([use('b', 20), use('a', 30, 2)]);
  });

  it('outlive a rebuild, for no file holds them', () => {
    const mirror = mirrors.open();
    mirror.keyUses.save([use('a', 10)]);
    mirror.clear();
    mirror.upsert([]);
    expect(mirror.keyUses.load()).toEqual([use('a', 10)]);
  });

  it('are bounded: the longest unused go', () => {
    const mirror = mirrors.open();
    mirror.keyUses.save(Array.from({ length: MAX_KEY_USES + 5 }, (_, i) => use(`key-${i}`, i)));
    const rows = mirror.keyUses.load();
    expect([rows.length, rows[0]?.id]).toEqual([MAX_KEY_USES, 'key-5']);
  });
});
