// The watches' rows. Which tasks have one is kept in memory, so that the many tasks without cost nothing here.
import type { Database, Statement } from 'better-sqlite3';
import type { TaskRow, WatchRow } from './rows.js';

interface Stored {
  task_id: string;
  watch_id: string;
  scope: string;
  agent: string;
  state: WatchRow['state'];
  remote_task_id: string | null;
  since: number;
}

export class WatchList {
  private readonly watched: Set<string>;
  private readonly insert: Statement<[string, string, string, string, string, string | null, number]>;
  private readonly delete: Statement<[string]>;
  private readonly select: Statement<[], Stored>;
  private readonly selectOne: Statement<[string], Stored>;

  constructor(db: Database) {
    this.insert = db.prepare('INSERT OR REPLACE INTO watches VALUES (?, ?, ?, ?, ?, ?, ?)');
    this.delete = db.prepare('DELETE FROM watches WHERE task_id = ?');
    this.select = db.prepare('SELECT * FROM watches ORDER BY since, task_id');
    this.selectOne = db.prepare('SELECT * FROM watches WHERE watch_id = ?');
    this.watched = new Set(this.select.all().map(({ task_id }) => task_id));
  }

  all(): WatchRow[] {
    return this.select.all().map(rowOf);
  }

  find(watchId: string): WatchRow | undefined {
    const found = this.selectOne.get(watchId);
    return found && rowOf(found);
  }

  /** Call in a transaction. */
  write({ taskId, scope, watch }: Pick<TaskRow, 'taskId' | 'scope' | 'watch'>): void {
    if (!watch) return this.remove(taskId);
    const { watchId, agent, state, remoteTaskId, since } = watch;
    this.insert.run(taskId, watchId, scope, agent, state, remoteTaskId ?? null, since);
    this.watched.add(taskId);
  }

  /** Call in a transaction. */
  remove(taskId: string): void {
    if (this.watched.delete(taskId)) this.delete.run(taskId);
  }

  /** The table was emptied. */
  cleared(): void {
    this.watched.clear();
  }
}

const rowOf = ({ task_id, watch_id, scope, agent, state, remote_task_id, since }: Stored): WatchRow => ({
  watchId: watch_id,
  taskId: task_id,
  scope,
  agent,
  state,
  ...(remote_task_id !== null && { remoteTaskId: remote_task_id }),
  since,
});
