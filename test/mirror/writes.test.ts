// What a write leaves behind: the newest version of a row, counts without leftovers, and one task per message.
import { describe, expect, test } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import { MESSAGE_LIFE } from '../../src/message-life.js';
import type { Mirror } from '../../src/mirror/rows.js';
import { NOW, taskRow, tempMirrors } from './temp-mirror.js';

const mirrors = tempMirrors();

/** What a table holds once the mirror is closed. */
function contents(sql: string): unknown[] {
  const db = new Sqlite(mirrors.file, { readonly: true });
  const rows = db.prepare(sql).all();
  db.close();
  return rows;
}

describe('rows', () => {
  test('an older version never replaces a newer one', () => {
    const mirror = mirrors.open();
    mirror.upsert([taskRow({ taskId: 't', seq: 5, state: 'TASK_STATE_COMPLETED' })]);
    mirror.upsert([taskRow({ taskId: 't', seq: 4, state: 'TASK_STATE_WORKING' })]);
    expect(mirror.list({ pageSize: 5 }).rows.map(({ state, seq }) => [state, seq])).toEqual([
      ['TASK_STATE_COMPLETED', 5],
    ]);
    expect(mirror.list({ state: 'TASK_STATE_WORKING', pageSize: 5 }).total).toBe(0);
  });

  test('a batch with one bad row leaves nothing of it', () => {
    const mirror = mirrors.open();
    expect(() => mirror.upsert([taskRow({ taskId: 'good' }), taskRow({ state: 'TASK_STATE_ODD' })])).toThrow(
      'TASK_STATE_ODD',
    );
    expect(mirror.list({ pageSize: 5 }).total).toBe(0);
    mirror.upsert([taskRow({ taskId: 'good' })]);
    expect(mirror.scopeOf('good')).toBe('demo');
  });

  test('counts and conversations at zero are deleted', () => {
    const mirror = mirrors.open();
    mirror.upsert([taskRow({ taskId: 'a' }), taskRow({ taskId: 'b', contextId: 'c2' })]);
    mirror.upsert([taskRow({ taskId: 'a', seq: 2, state: 'TASK_STATE_COMPLETED' })]);
    mirror.remove(['b', 'unknown']);
    mirror.close();
    expect(contents('SELECT state, n FROM lane_counts')).toEqual([{ state: 3, n: 1 }]);
    expect(contents('SELECT state, n FROM context_counts')).toEqual([{ state: 3, n: 1 }]);
    expect(contents('SELECT name FROM contexts')).toEqual([{ name: 'c1' }]);
  });

  test('a task that moves to another conversation is counted there', () => {
    const mirror = mirrors.open();
    mirror.upsert([taskRow({ taskId: 'a', contextId: 'old' })]);
    mirror.upsert([taskRow({ taskId: 'a', contextId: 'new', agent: 'other' })]);
    expect(mirror.list({ contextId: 'old', pageSize: 5 }).total).toBe(0);
    expect(mirror.list({ contextId: 'new', agent: 'other', pageSize: 5 }).total).toBe(1);
  });
});

describe('messages', () => {
  const message = (id: string, at: number, hash = 'h'): { id: string; hash: string; at: number } => ({ id, hash, at });

  test('a message leads to the task that took it, for its own caller only', () => {
    const mirror = mirrors.open();
    mirror.upsert([taskRow({ taskId: 'a', messages: [message('m', NOW, 'first'), message('m2', NOW)] })]);
    expect(mirror.findMessage('demo/alice', 'm')).toEqual({ taskId: 'a', hash: 'first', at: NOW });
    expect(mirror.findMessage('demo/alice', 'm2')?.taskId).toBe('a');
    expect(mirror.findMessage('demo/bob', 'm')).toBeUndefined();
  });

  test.each([
    ['in order', ['a', 'b']],
    ['in reverse', ['b', 'a']],
  ])('the first task that took a message keeps it, when a rebuild meets them %s', (_name, order) => {
    const mirror = mirrors.open();
    const at: Record<string, number> = { a: NOW - 1000, b: NOW };
    for (const taskId of order) mirror.upsert([taskRow({ taskId, messages: [message('m', at[taskId]!, taskId)] })]);
    expect(mirror.findMessage('demo/alice', 'm')).toEqual({ taskId: 'a', hash: 'a', at: NOW - 1000 });
  });

  test('after a day the same id is a new message', () => {
    let now = NOW;
    const mirror = mirrors.open({ clock: { now: () => now } });
    mirror.upsert([taskRow({ taskId: 'a', messages: [message('m', now)] })]);
    now += MESSAGE_LIFE;
    mirror.upsert([taskRow({ taskId: 'b', messages: [message('m', now)] })]);
    expect(mirror.findMessage('demo/alice', 'm')?.taskId).toBe('b');
  });

  test('a removed task no longer answers, and its message is free', () => {
    const mirror = mirrors.open();
    mirror.upsert([taskRow({ taskId: 'a', messages: [message('m', NOW)] })]);
    mirror.remove(['a']);
    expect(mirror.findMessage('demo/alice', 'm')).toBeUndefined();
    mirror.upsert([taskRow({ taskId: 'b', messages: [message('m', NOW)] })]);
    expect(mirror.findMessage('demo/alice', 'm')?.taskId).toBe('b');
  });

  test('messages older than a day are neither kept nor taken in', () => {
    let now = NOW;
    const mirror = mirrors.open({ clock: { now: () => now } });
    mirror.upsert([taskRow({ messages: [message('m1', now)] }), taskRow({ messages: [message('m2', now)] })]);
    now += MESSAGE_LIFE + 1;
    mirror.upsert([taskRow({ messages: [message('stale', now - MESSAGE_LIFE)] })]);
    mirror.close();
    expect(contents('SELECT message_id FROM messages')).toEqual([]);
  });
});

describe('what SQLite can’t do', () => {
  test.each<[string, string, (mirror: Mirror) => unknown]>([
    ['a write', 'tasks', (mirror) => mirror.upsert([taskRow()])],
    ['a list', 'tasks', (mirror) => mirror.list({ pageSize: 5 })],
    ['a look for a message', 'messages', (mirror) => mirror.findMessage('demo/alice', 'm')],
    ['a removal', 'tasks', (mirror) => mirror.remove(['a'])],
  ])('is a storage failure with its cause: %s', (_what, table, use) => {
    const mirror = mirrors.open();
    mirror.upsert([taskRow({ taskId: 'a' })]);
    const { db } = mirror as unknown as { db: Sqlite.Database };
    db.exec(`ALTER TABLE ${table} RENAME TO lost`);
    expect(() => use(mirror)).toThrow(
      expect.objectContaining({
        name: 'AppError',
        code: 'storage-failed',
        cause: expect.objectContaining({ code: 'SQLITE_ERROR' }),
      }),
    );
    db.exec(`ALTER TABLE lost RENAME TO ${table}`);
    use(mirror);
  });
});
