// Candidates by age, who uses which stored file, and what leaves with a purged task.
import { describe, expect, test } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import { idsOf, NOW, taskRow, tempMirrors } from './temp-mirror.js';

const mirrors = tempMirrors();
const ENDED = ['TASK_STATE_COMPLETED', 'TASK_STATE_FAILED'];

describe('the oldest tasks', () => {
  test('of a scope come by age over all callers and states, page after page, ties by id', () => {
    const mirror = mirrors.open();
    const row = (taskId: string, age: number, change = {}) =>
      taskRow({ taskId, state: 'TASK_STATE_COMPLETED', statusAt: NOW - age, ...change });
    mirror.upsert([
      row('c', 10, { caller: 'demo/bob' }),
      row('b', 10, { state: 'TASK_STATE_FAILED' }),
      row('a', 30, { agent: 'other' }),
      row('d', 5),
      row('live', 99, { state: 'TASK_STATE_WORKING' }),
      row('foreign', 99, { scope: 'operator', caller: 'operator' }),
    ]);
    const query = { scope: 'demo', states: ENDED, limit: 3 };
    const first = mirror.oldest(query);
    expect(idsOf(first)).toEqual(['a', 'b', 'c']);
    expect(idsOf(mirror.oldest({ ...query, after: first.at(-1)! }))).toEqual(['d']);
    expect(mirror.count('demo', ENDED)).toBe(4);
    expect(mirror.oldest({ ...query, scope: 'nobody' })).toEqual([]);
  });

  test('are found over more callers than one statement can take', () => {
    const mirror = mirrors.open();
    const rows = Array.from({ length: 150 }, (_, i) =>
      taskRow({ taskId: `t${i}`, caller: `demo/c${i}`, state: 'TASK_STATE_COMPLETED', statusAt: NOW - i }),
    );
    mirror.upsert(rows);
    expect(idsOf(mirror.oldest({ scope: 'demo', states: ENDED, limit: 3 }))).toEqual(['t149', 't148', 't147']);
  });
});

describe('stored files', () => {
  test('are used as long as one task or transcript does', () => {
    const mirror = mirrors.open();
    mirror.upsert([taskRow({ taskId: 'a', blobs: ['x', 'y'] }), taskRow({ taskId: 'b', blobs: ['x'] })]);
    mirror.holdBlobs('demo', 'demo/alice_c1', ['y']);
    const purge = (taskId: string): void =>
      mirror.purge([{ taskId, scope: 'demo', caller: 'demo/alice', messages: [] }]);
    purge('a');
    expect(['x', 'y'].map((blob) => mirror.isBlobUsed('demo', blob))).toEqual([true, true]);
    purge('b');
    expect(['x', 'y'].map((blob) => mirror.isBlobUsed('demo', blob))).toEqual([false, true]);
    expect(mirror.blobsOf('demo', 'demo/alice_c1')).toEqual(['y']);
    mirror.dropBlobs('demo', 'demo/alice_c1');
    expect(mirror.isBlobUsed('demo', 'y')).toBe(false);
  });

  test('of one scope are not those of another', () => {
    const mirror = mirrors.open();
    mirror.upsert([taskRow({ blobs: ['x'] })]);
    expect([mirror.isBlobUsed('demo', 'x'), mirror.isBlobUsed('operator', 'x')]).toEqual([true, false]);
  });
});

test('a purged task leaves with its messages, and leaves those of others', () => {
  const mirror = mirrors.open();
  const messages = (id: string) => [{ id, hash: 'h', at: NOW }];
  mirror.upsert([
    taskRow({ taskId: 'a', messages: messages('m1') }),
    taskRow({ taskId: 'b', messages: messages('m2') }),
  ]);
  mirror.purge([
    { taskId: 'a', scope: 'demo', caller: 'demo/alice', messages: [...messages('m1'), ...messages('m2')] },
  ]);
  expect(mirror.scopeOf('a')).toBeUndefined();
  expect(mirror.findMessage('demo/alice', 'm2')?.taskId).toBe('b');
  mirror.close();
  const db = new Sqlite(mirrors.file, { readonly: true });
  expect(db.prepare('SELECT message_id FROM messages').pluck().all()).toEqual(['m2']);
  db.close();
});
