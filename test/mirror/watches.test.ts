// Watches in the mirror: there while their task has one, and gone with it.
import { describe, expect, test } from '@jest/globals';
import { taskRow, tempMirrors } from './temp-mirror.js';

const mirrors = tempMirrors();
const watch = { watchId: 'w1', agent: 'far', state: 'following', remoteTaskId: 'far-1', since: 5 } as const;

describe('watches', () => {
  test('are listed oldest first, found by their id, and survive a restart', () => {
    const first = mirrors.open();
    first.upsert([
      taskRow({ taskId: 'b', watch: { watchId: 'w2', agent: 'far', state: 'sending', since: 9 } }),
      taskRow({ taskId: 'a', watch }),
    ]);
    first.close();
    const mirror = mirrors.open();
    expect(mirror.watches().map(({ watchId, taskId }) => [watchId, taskId])).toEqual([
      ['w1', 'a'],
      ['w2', 'b'],
    ]);
    expect(mirror.findWatch('w1')).toEqual({ ...watch, taskId: 'a', scope: 'demo' });
    expect(mirror.findWatch('w2')).not.toHaveProperty('remoteTaskId');
    expect(mirror.findWatch('w3')).toBeUndefined();
  });

  test('go when their task has none any more, is removed, or the mirror is emptied', () => {
    const mirror = mirrors.open();
    mirror.upsert([taskRow({ taskId: 'a', watch }), taskRow({ taskId: 'b', watch: { ...watch, watchId: 'w2' } })]);
    mirror.upsert([taskRow({ taskId: 'a', seq: 2 })]);
    expect(mirror.watches().map(({ taskId }) => taskId)).toEqual(['b']);
    mirror.remove(['b']);
    expect(mirror.watches()).toEqual([]);
    mirror.upsert([taskRow({ taskId: 'c', watch })]);
    mirror.clear();
    expect(mirror.watches()).toEqual([]);
    mirror.upsert([taskRow({ taskId: 'c', watch })]);
    expect(mirror.watches()).toHaveLength(1);
  });
});
