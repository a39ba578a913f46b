// The mirror on SQLite: one connection, all statements prepared once, every write one transaction. What SQLite can't do
// is AppError `storage-failed`.
import type { Database, Statement } from 'better-sqlite3';
import type { Clock } from '../clock.js';
import { BlobUses } from './blob-uses.js';
import { Contexts } from './contexts.js';
import { emptyTables } from './empty-tables.js';
import { KeyUseTable } from './key-use-table.js';
import { LaneCounts } from './lane-counts.js';
import { Lanes } from './lanes.js';
import { taskKey } from './lookup-key.js';
import { MessageIndex } from './message-index.js';
import type { PushTable } from './push-rows.js';
import { PushSchedule } from './push-schedule.js';
import { pushTable } from './push-table.js';
import { PushTries } from './push-tries.js';
import { OldestTasks } from './oldest-tasks.js';
import { ReplyList } from './reply-list.js';
import type {
  AgedTask,
  KnownMessage,
  Mirror,
  OldestQuery,
  PurgedRow,
  TaskPage,
  TaskQuery,
  TaskRow,
  WatchRow,
} from './rows.js';
import { storing } from './sqlite-code.js';
import { LIVE_CODES, stateCode, stateName } from './state-code.js';
import { TaskList } from './task-list.js';
import { WatchList } from './watch-list.js';

/** Expired messages dropped per write, for each row written: more than arrive, so the index stays bounded. */
const PRUNE_PER_ROW = 2;

/**
 * Writes that fire the counting triggers say OR ROLLBACK: SQLite then needs no journal per statement, which otherwise
 * costs more than the write itself. All runs in a transaction that an error ends anyway.
 */
const WRITES = {
  insert: `INSERT OR ROLLBACK INTO tasks (key, task_id, lane, context, state, status_at, created_at, seq, head)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  update: `UPDATE OR ROLLBACK tasks SET lane = ?, context = ?, state = ?, status_at = ?, created_at = ?, seq = ?, head = ?
    WHERE id = ?`,
  remove: 'DELETE FROM tasks WHERE id = ?',
};

interface MirrorFile {
  db: Database;
  fresh: boolean;
  clock: Pick<Clock, 'now'>;
  /** Called once, after the connection is closed. */
  onClosed(): void;
}

export class SqliteMirror implements Mirror {
  readonly fresh: boolean;
  readonly pushes: PushTable;
  readonly keyUses: KeyUseTable;
  private readonly db: Database;
  private readonly lanes: Lanes;
  private readonly tasks: TaskList;
  private readonly aged: OldestTasks;
  private readonly messages: MessageIndex;
  private readonly schedule: PushSchedule;
  private readonly uses: BlobUses;
  private readonly watchList: WatchList;
  private readonly replyList: ReplyList;
  private readonly find: Statement<[number, string], { id: number; seq: number; lane: number }>;
  private readonly insert: Statement<[number, string, ...number[], string]>;
  private readonly update: Statement<[...number[], string, number]>;
  private readonly delete: Statement<[number]>;
  private readonly contexts: Contexts;
  private readonly selectLive: Statement<unknown[], { task_id: string; lane: number; state: number }>;
  private readonly selectIds: Statement<[number], string>;
  private readonly selectScopes: Statement<[], string>;
  private readonly counts: LaneCounts;
  private readonly selectStamp: Statement<[string], string>;
  private readonly writeStamp: Statement<[string, string]>;
  private readonly inTransaction: (work: () => void) => void;
  private makeIndexes: (() => void) | undefined;

  constructor(private readonly file: MirrorFile) {
    const db = (this.db = file.db);
    this.fresh = file.fresh;
    this.keyUses = new KeyUseTable(db);
    this.lanes = new Lanes(db);
    this.tasks = new TaskList(db, this.lanes);
    this.aged = new OldestTasks(db, this.lanes);
    this.uses = new BlobUses(db);
    this.messages = new MessageIndex(db, (taskId) => this.scopeOf(taskId) !== undefined);
    this.watchList = new WatchList(db);
    this.replyList = new ReplyList(db);
    this.find = db.prepare('SELECT id, seq, lane FROM tasks WHERE key = ? AND task_id = ?');
    this.insert = db.prepare(WRITES.insert);
    this.update = db.prepare(WRITES.update);
    this.delete = db.prepare(WRITES.remove);
    this.contexts = new Contexts(db);
    this.selectLive = db.prepare(
      `SELECT task_id, lane, state FROM tasks INDEXED BY tasks_by_state WHERE state IN (${LIVE_CODES.join(', ')})`,
    );
    this.selectIds = plucked(db, 'SELECT task_id FROM tasks INDEXED BY tasks_by_lane WHERE lane = ?');
    this.selectScopes = plucked(db, 'SELECT DISTINCT scope FROM lanes WHERE id IN (SELECT lane FROM lane_counts)');
    this.counts = new LaneCounts(db);
    this.selectStamp = plucked(db, 'SELECT stamp FROM folders WHERE scope = ?');
    this.writeStamp = db.prepare('INSERT OR REPLACE INTO folders (scope, stamp) VALUES (?, ?)');
    const transaction = db.transaction((work: () => void) => work());
    this.inTransaction = (work) => transaction.immediate(work);
    this.schedule = new PushSchedule(db);
    this.pushes = pushTable(this.schedule, new PushTries(db), this.inTransaction);
  }

  upsert(rows: readonly TaskRow[]): void {
    const now = this.file.clock.now();
    storing(() => {
      const lanes = rows.map((row) => this.lanes.idOf(row));
      this.inTransaction(() => {
        rows.forEach((row, index) => this.write(row, lanes[index]!, now));
        this.messages.prune(rows.length * PRUNE_PER_ROW, now);
      });
    });
  }

  remove(taskIds: readonly string[]): void {
    const work = (): void => {
      for (const taskId of taskIds) {
        const known = this.find.get(taskKey(taskId), taskId);
        if (known) this.delete.run(known.id);
        this.forgetBeside(taskId);
      }
    };
    storing(() => this.inTransaction(work));
  }

  purge(rows: readonly PurgedRow[]): void {
    const work = (): void => {
      for (const row of rows) {
        const known = this.find.get(taskKey(row.taskId), row.taskId);
        if (known && this.lanes.get(known.lane).scope === row.scope) {
          this.delete.run(known.id);
          this.forgetBeside(row.taskId);
        }
        this.messages.remove(row);
        this.uses.drop(row.scope, row.taskId);
      }
    };
    storing(() => this.inTransaction(work));
  }

  /** What follows from a task, and goes with its row. Call in a transaction. */
  private forgetBeside(taskId: string): void {
    this.schedule.remove(taskId);
    this.watchList.remove(taskId);
    this.replyList.remove(taskId);
  }

  oldest(query: OldestQuery): AgedTask[] {
    return storing(() => {
      this.askable();
      return this.aged.page(query);
    });
  }

  count(scope: string, states: readonly string[]): number {
    return storing(() => this.aged.count(scope, states));
  }

  holdBlobs(scope: string, holder: string, blobs: readonly string[]): void {
    storing(() => this.inTransaction(() => this.uses.add(scope, holder, blobs)));
  }

  blobsOf(scope: string, holder: string): string[] {
    return storing(() => this.uses.of(scope, holder));
  }

  dropBlobs(scope: string, holder: string): void {
    storing(() => this.uses.drop(scope, holder));
  }

  isBlobUsed(scope: string, blob: string): boolean {
    return storing(() => this.uses.isUsed(scope, blob));
  }

  list(query: TaskQuery): TaskPage {
    return storing(() => {
      this.askable();
      return this.tasks.list(query);
    });
  }

  scopeOf(taskId: string): string | undefined {
    const known = storing(() => this.find.get(taskKey(taskId), taskId));
    return known && this.lanes.get(known.lane).scope;
  }

  findMessage(caller: string, messageId: string): KnownMessage | undefined {
    return storing(() => this.messages.find(caller, messageId));
  }

  countOf(scope: string): number {
    return this.counts.of(scope);
  }

  countsByState(): { state: string; count: number }[] {
    return this.counts.byState();
  }

  watches(): WatchRow[] {
    return storing(() => this.watchList.all());
  }

  findWatch(watchId: string): WatchRow | undefined {
    return storing(() => this.watchList.find(watchId));
  }

  openReplies(): string[] {
    return this.replyList.all();
  }

  live(): ReturnType<Mirror['live']> {
    const rows = storing(() => {
      this.askable();
      return this.selectLive.all();
    });
    return rows.map(({ task_id, lane, state }) => {
      const { scope, caller, agent } = this.lanes.get(lane);
      return { taskId: task_id, scope, caller, agent, state: stateName(state) };
    });
  }

  ids(scope: string): string[] {
    return storing(() => {
      this.askable();
      return this.lanes.matching({ scope }).flatMap(({ id }) => this.selectIds.all(id));
    });
  }

  stampOf(scope: string): string | undefined {
    return this.selectStamp.get(scope);
  }

  stamp(scope: string, stamp: string): void {
    this.writeStamp.run(scope, stamp);
  }

  scopes(): string[] {
    return storing(() => this.selectScopes.all());
  }

  clear(): void {
    storing(() => {
      this.askable();
      let makeIndexes: (() => void) | undefined;
      this.inTransaction(() => {
        makeIndexes = emptyTables(this.db);
      });
      this.watchList.cleared();
      this.replyList.cleared();
      this.makeIndexes = makeIndexes;
    });
  }

  close(): void {
    if (!this.db.open) return;
    this.askable();
    this.db.pragma('wal_checkpoint(TRUNCATE)');
    this.db.close();
    this.file.onClosed();
  }

  /** After `clear`, the indexes wait for the first question that needs them. */
  private askable(): void {
    if (!this.makeIndexes) return;
    this.inTransaction(this.makeIndexes);
    this.makeIndexes = undefined;
  }

  private write(row: TaskRow, lane: number, now: number): void {
    const { taskId, state, statusAt, createdAt, seq, head } = row;
    const code = stateCode(state);
    if (code === undefined) throw new Error(`task ${taskId} has the unknown state ${state}`);
    const key = taskKey(taskId);
    const known = this.find.get(key, taskId);
    if (known && known.seq > seq) return;
    const context = this.contexts.idOf(row.contextId, lane);
    if (known) this.update.run(lane, context, code, statusAt, createdAt, seq, head, known.id);
    else this.insert.run(key, taskId, lane, context, code, statusAt, createdAt, seq, head);
    this.messages.add(row, now);
    this.schedule.replace(row, known !== undefined);
    if (row.blobs) this.uses.add(row.scope, taskId, row.blobs);
    this.watchList.write(row);
    this.replyList.write(row);
  }
}

/** A statement whose rows are the values of its one column. */
const plucked = <P extends unknown[]>(db: Database, sql: string): Statement<P, string> =>
  db.prepare<P, string>(sql).pluck() as Statement<P, string>;
