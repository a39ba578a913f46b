// The latest tries to tell webhooks, for the operator to look at: a bounded table that nothing depends on.
import type { Database, Statement } from 'better-sqlite3';
import { taskKey } from './lookup-key.js';
import type { PushTry } from './push-rows.js';
import { stateCode, stateName } from './state-code.js';

/** How many are remembered. */
const KEPT_TRIES = 100_000;

interface Stored {
  seq: number;
  state: number;
  attempt: number;
  at: number;
  duration: number;
  status: number | null;
  reason: string | null;
}

export class PushTries {
  private readonly insert: Statement<(number | string | null)[]>;
  private readonly forget: Statement<[number]>;
  private readonly select: Statement<[number, string, string, number], Stored>;

  constructor(
    db: Database,
    private readonly kept = KEPT_TRIES,
  ) {
    this.insert = db.prepare<(number | string | null)[]>(
      `INSERT INTO push_attempts (key, task_id, config_id, seq, state, attempt, at, duration, status, reason)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.forget = db.prepare('DELETE FROM push_attempts WHERE id <= ?');
    this.select = db.prepare(
      `SELECT seq, state, attempt, at, duration, status, reason FROM push_attempts
       WHERE key = ? AND task_id = ? AND config_id = ? ORDER BY id DESC LIMIT ?`,
    );
  }

  /** Call in a transaction. */
  add(tries: readonly PushTry[]): void {
    let last = 0;
    for (const { taskId, configId, seq, state, attempt, at, durationMs, status = null, reason = null } of tries) {
      const key = taskKey(taskId);
      const code = stateCode(state) ?? 0;
      const duration = Math.round(durationMs);
      const added = this.insert.run(key, taskId, configId, seq, code, attempt, at, duration, status, reason);
      last = Number(added.lastInsertRowid);
    }
    this.forget.run(last - this.kept);
  }

  of(taskId: string, configId: string, limit: number): PushTry[] {
    return this.select.all(taskKey(taskId), taskId, configId, limit).map((row) => ({
      taskId,
      configId,
      seq: row.seq,
      state: stateName(row.state),
      attempt: row.attempt,
      at: row.at,
      durationMs: row.duration,
      ...(row.status !== null && { status: row.status }),
      ...(row.reason !== null && { reason: row.reason }),
    }));
  }
}
