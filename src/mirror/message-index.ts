// The duplicate index: which task took which message of a caller. It answers for a day; older rows are pruned as new
// ones arrive. The first task that took a message keeps it.
import type { Database, Statement } from 'better-sqlite3';
import { MESSAGE_LIFE } from '../message-life.js';
import { lookupKey } from './lookup-key.js';
import type { KnownMessage, PurgedRow, TaskRow } from './rows.js';

interface StoredMessage {
  id: number;
  task_id: string;
  hash: string;
  at: number;
}

export class MessageIndex {
  private readonly select: Statement<[number, string, string], StoredMessage>;
  private readonly insert: Statement<[number, string, string, string, string, number]>;
  private readonly replace: Statement<[string, string, number, number]>;
  private readonly delete: Statement<[number]>;
  private readonly oldest: Statement<[], { at: number }>;
  private readonly pruneOldest: Statement<[number, number]>;

  /** `holds` tells whether a task is still in the mirror: a message of a removed task is free again. */
  constructor(
    db: Database,
    private readonly holds: (taskId: string) => boolean,
  ) {
    this.select = db.prepare(
      'SELECT id, task_id, hash, at FROM messages WHERE key = ? AND message_id = ? AND caller = ?',
    );
    this.insert = db.prepare(
      'INSERT INTO messages (key, message_id, caller, task_id, hash, at) VALUES (?, ?, ?, ?, ?, ?)',
    );
    this.replace = db.prepare('UPDATE messages SET task_id = ?, hash = ?, at = ? WHERE id = ?');
    this.delete = db.prepare('DELETE FROM messages WHERE id = ?');
    this.oldest = db.prepare('SELECT at FROM messages ORDER BY id LIMIT 1');
    this.pruneOldest = db.prepare(
      'DELETE FROM messages WHERE id IN (SELECT id FROM messages ORDER BY id LIMIT ?) AND at <= ?',
    );
  }

  find(caller: string, messageId: string): KnownMessage | undefined {
    const found = this.stored(caller, messageId);
    if (!found || !this.holds(found.task_id)) return undefined;
    return { taskId: found.task_id, hash: found.hash, at: found.at };
  }

  /** Remembers the messages of a task; those already too old to matter at `now` are left out. */
  add({ taskId, caller, messages }: TaskRow, now: number): void {
    for (const { id, hash, at, by = caller } of messages) {
      if (at <= now - MESSAGE_LIFE) continue;
      const known = this.stored(by, id);
      if (!known) this.insert.run(lookupKey(id), id, by, taskId, hash, at);
      else if (known.task_id !== taskId && this.yields(known, at)) this.replace.run(taskId, hash, at, known.id);
    }
  }

  /** Forgets the messages that led to this task. */
  remove({ taskId, caller, messages }: PurgedRow): void {
    for (const { id, by = caller } of messages) {
      const known = this.stored(by, id);
      if (known?.task_id === taskId) this.delete.run(known.id);
    }
  }

  /** Drops at most `limit` rows that are out of date at `now`, oldest first. */
  prune(limit: number, now: number): void {
    const oldest = this.oldest.get();
    if (oldest && oldest.at <= now - MESSAGE_LIFE) this.pruneOldest.run(limit, now - MESSAGE_LIFE);
  }

  private stored(caller: string, messageId: string): StoredMessage | undefined {
    return this.select.get(lookupKey(messageId), messageId, caller);
  }

  /** A rebuild meets tasks in any order, so "first" goes by the time of acceptance, within a day. */
  private yields(known: StoredMessage, at: number): boolean {
    if (at - known.at >= MESSAGE_LIFE) return true;
    return (at < known.at && known.at - at < MESSAGE_LIFE) || !this.holds(known.task_id);
  }
}
