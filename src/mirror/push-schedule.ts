// The schedule of webhooks on SQLite. What a row says of its task is replaced with the task's own row, in the same
// transaction; tries and the time of the next stay as long as the same webhook is owed the same change.
import type { Database, Statement } from 'better-sqlite3';
import { taskKey } from './lookup-key.js';
import type { PushLane, PushPage, PushQuery, PushState, ScheduledPush, WebhookRow } from './push-rows.js';
import type { TaskRow } from './rows.js';

interface Stored {
  id: number;
  task_id: string;
  config_id: string;
  caller: string;
  host: string;
  registered_at: number;
  seq: number;
  attempts: number;
  next_at: number | null;
}

const COLUMNS = 'id, task_id, config_id, caller, host, registered_at, seq, attempts, next_at';
const IN_STATE: Readonly<Record<PushState, string>> = {
  pending: 'next_at IS NOT NULL AND attempts = 0',
  retrying: 'next_at IS NOT NULL AND attempts > 0',
  disabled: 'disabled = 1',
  dead: 'dead > 0',
};

export class PushSchedule {
  private readonly ofTask: Statement<[number, string], Stored>;
  private readonly insert: Statement<(number | string | null)[]>;
  private readonly update: Statement<(number | string | null)[]>;
  private readonly deleteRow: Statement<[number]>;
  private readonly move: Statement<[number, number, number]>;
  private readonly moveLate: Statement<[{ now: number; latest: number; latestFirst: number }]>;
  private readonly selectLane: Statement<[string, string], { caller: string; host: string; next_at: number }>;
  private readonly selectDue: Statement<[string, string, number, number], Stored>;
  private readonly selectNext: Statement<[number], number | null>;
  private readonly selectDead: Statement<[number, number], Stored>;

  constructor(private readonly db: Database) {
    this.ofTask = db.prepare(`SELECT ${COLUMNS} FROM push_schedule WHERE key = ? AND task_id = ?`);
    this.insert = db.prepare<(number | string | null)[]>(
      `INSERT INTO push_schedule (key, task_id, config_id, caller, host, registered_at, seq, attempts, next_at,
       disabled, dead, dead_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.update = db.prepare<(number | string | null)[]>(
      `UPDATE push_schedule SET caller = ?, host = ?, registered_at = ?, seq = ?, attempts = ?, next_at = ?,
       disabled = ?, dead = ?, dead_at = ? WHERE id = ?`,
    );
    this.deleteRow = db.prepare('DELETE FROM push_schedule WHERE id = ?');
    this.move = db.prepare('UPDATE push_schedule SET attempts = ?, next_at = ? WHERE id = ?');
    this.moveLate = db.prepare(
      `UPDATE push_schedule SET next_at = @now
       WHERE next_at IS NOT NULL AND next_at > @latestFirst AND (attempts = 0 OR next_at > @latest)`,
    );
    this.selectLane = db.prepare(
      `SELECT caller, host, next_at FROM push_schedule INDEXED BY push_schedule_by_host
       WHERE next_at IS NOT NULL AND (caller, host) > (?, ?) ORDER BY caller, host, next_at LIMIT 1`,
    );
    this.selectDue = db.prepare(
      `SELECT ${COLUMNS} FROM push_schedule INDEXED BY push_schedule_by_host
       WHERE caller = ? AND host = ? AND next_at IS NOT NULL AND next_at <= ? ORDER BY next_at LIMIT ?`,
    );
    this.selectNext = db
      .prepare<[number], number | null>(
        `SELECT min(next_at) FROM push_schedule INDEXED BY push_schedule_by_time
         WHERE next_at IS NOT NULL AND next_at > ?`,
      )
      .pluck() as Statement<[number], number | null>;
    this.selectDead = db.prepare(
      `SELECT ${COLUMNS} FROM push_schedule WHERE dead_at IS NOT NULL AND dead_at >= ? ORDER BY dead_at LIMIT ?`,
    );
  }

  /** Brings a task's rows in line with it. Call in the transaction that writes the task; `known`: it may have rows. */
  replace({ taskId, caller, webhooks = [] }: TaskRow, known: boolean): void {
    if (!known && webhooks.length === 0) return;
    const key = taskKey(taskId);
    const stored = new Map(this.ofTask.all(key, taskId).map((row) => [row.config_id, row]));
    for (const webhook of webhooks) {
      const before = stored.get(webhook.configId);
      stored.delete(webhook.configId);
      const { host, registeredAt, owed, disabled, dead, deadAt = null } = webhook;
      const { seq, attempts, nextAt } = timing(before, webhook);
      const rest = [host, registeredAt, seq, attempts, nextAt, Number(disabled), dead, deadAt] as const;
      if (before) this.update.run(caller, ...rest, before.id);
      else if (owed || disabled || dead > 0) this.insert.run(key, taskId, webhook.configId, caller, ...rest);
    }
    for (const { id } of stored.values()) this.deleteRow.run(id);
  }

  remove(taskId: string): void {
    for (const { id } of this.ofTask.all(taskKey(taskId), taskId)) this.deleteRow.run(id);
  }

  nextLane(after: PushLane = { caller: '', host: '' }): (PushLane & { nextAt: number }) | undefined {
    const found = this.selectLane.get(after.caller, after.host);
    return found && { caller: found.caller, host: found.host, nextAt: found.next_at };
  }

  due({ caller, host }: PushLane, now: number, limit: number): ScheduledPush[] {
    return this.selectDue.all(caller, host, now, limit).map(scheduled);
  }

  nextAfter(now: number): number | undefined {
    return this.selectNext.get(now) ?? undefined;
  }

  find(taskId: string, configId: string): ScheduledPush | undefined {
    const found = this.row(taskId, configId);
    return found && found.next_at !== null ? scheduled(found) : undefined;
  }

  postpone(push: Pick<ScheduledPush, 'taskId' | 'configId' | 'seq' | 'attempts' | 'nextAt'>): void {
    const found = this.row(push.taskId, push.configId);
    if (found && found.next_at !== null && found.seq === push.seq) this.move.run(push.attempts, push.nextAt, found.id);
  }

  bringForward(times: { now: number; latest: number; latestFirst: number }): void {
    this.moveLate.run(times);
  }

  list({ caller, config, state, pageSize, after }: PushQuery): PushPage {
    const wanted = [
      ...(after === undefined ? [] : ['id < @after']),
      ...(caller === undefined ? [] : ['caller = @caller']),
      ...(config === undefined ? [] : ['config_id = @config']),
      ...(state === undefined ? [] : [IN_STATE[state]]),
    ];
    const where = wanted.length === 0 ? '' : `WHERE ${wanted.join(' AND ')}`;
    const found = this.db
      .prepare<object, Stored>(`SELECT ${COLUMNS} FROM push_schedule ${where} ORDER BY id DESC LIMIT @limit`)
      .all({ after, caller, config, limit: pageSize + 1 });
    const page = found.slice(0, pageSize);
    const last = page.at(-1);
    return { rows: page.map(named), ...(found.length > pageSize && last && { next: last.id }) };
  }

  deadSince(since: number, limit: number): { taskId: string; configId: string }[] {
    return this.selectDead.all(since, limit).map(named);
  }

  private row(taskId: string, configId: string): Stored | undefined {
    return this.ofTask.all(taskKey(taskId), taskId).find(({ config_id }) => config_id === configId);
  }
}

/** When it is tried: as before when it is still about the same change for the same webhook, else as soon as may be. */
function timing(before: Stored | undefined, { owed, registeredAt }: WebhookRow) {
  if (!owed) return { seq: 0, attempts: 0, nextAt: null };
  const same = before?.seq === owed.seq && before.registered_at === registeredAt && before.next_at !== null;
  return same
    ? { seq: owed.seq, attempts: before.attempts, nextAt: before.next_at }
    : { seq: owed.seq, attempts: 0, nextAt: owed.at };
}

const named = ({ task_id, config_id }: Stored): { taskId: string; configId: string } => ({
  taskId: task_id,
  configId: config_id,
});

const scheduled = (row: Stored): ScheduledPush => ({
  ...named(row),
  caller: row.caller,
  host: row.host,
  registeredAt: row.registered_at,
  seq: row.seq,
  attempts: row.attempts,
  nextAt: row.next_at ?? 0,
});
