// The tasks that owe a reply. Which ones is kept in memory too, so that the many tasks without cost nothing here.
import type { Database, Statement } from 'better-sqlite3';
import type { TaskRow } from './rows.js';

export class ReplyList {
  private readonly open: Set<string>;
  private readonly insert: Statement<[string]>;
  private readonly delete: Statement<[string]>;

  constructor(db: Database) {
    this.insert = db.prepare('INSERT OR IGNORE INTO replies VALUES (?)');
    this.delete = db.prepare('DELETE FROM replies WHERE task_id = ?');
    const rows = db.prepare<[], { task_id: string }>('SELECT task_id FROM replies').all();
    this.open = new Set(rows.map(({ task_id }) => task_id));
  }

  all(): string[] {
    return [...this.open];
  }

  /** Call in a transaction. */
  write({ taskId, owesReply }: Pick<TaskRow, 'taskId' | 'owesReply'>): void {
    if (!owesReply) return this.remove(taskId);
    if (this.open.has(taskId)) return;
    this.insert.run(taskId);
    this.open.add(taskId);
  }

  /** Call in a transaction. */
  remove(taskId: string): void {
    if (this.open.delete(taskId)) this.delete.run(taskId);
  }

  /** The table was emptied. */
  cleared(): void {
    this.open.clear();
  }
}
