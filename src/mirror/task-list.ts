// Lists of tasks. A query is a set of arms, each one range of one index in list order; a page merges the arms, and the
// kept counts say which arms exist at all. So the cost grows with arms and page size, never with the number of tasks.
import type { Database, Statement } from 'better-sqlite3';
import { matches, type Lanes } from './lanes.js';
import { lookupKey } from './lookup-key.js';
import type { TaskPage, TaskQuery } from './rows.js';
import { stateCode, stateName } from './state-code.js';

/** Which index an arm runs over; `all` is the operator's list over every lane. */
type Partition = 'all' | 'lane' | 'context';

interface Arm {
  /** Number of the lane or context; 0 for `all`. */
  part: number;
  state: number;
  n: number;
}

interface StoredRow {
  task_id: string;
  lane: number;
  state: number;
  status_at: number;
  created_at: number;
  seq: number;
  head: string;
  context: string;
}

/** SQLite takes at most 500 arms in one statement; merging fewer at a time also keeps statements quick to prepare. */
const ARMS_AT_ONCE = 64;
const INDEX = { all: 'tasks_by_state', lane: 'tasks_by_lane', context: 'tasks_by_context' } as const;
const WHERE = { all: '? = 0 AND state = ?', lane: 'lane = ? AND state = ?', context: 'context = ? AND state = ?' };

export class TaskList {
  private readonly pages = new Map<string, Statement<unknown[], StoredRow>>();
  private readonly countAll: Statement<[], Arm>;
  private readonly countLane: Statement<[number], Arm>;
  private readonly countContext: Statement<[number, string], Arm & { lane: number }>;
  private readonly countSince: Record<Partition, Statement<[number, number, number], number>>;

  constructor(
    private readonly db: Database,
    private readonly lanes: Lanes,
  ) {
    this.countAll = db.prepare('SELECT 0 AS part, state, sum(n) AS n FROM lane_counts GROUP BY state');
    this.countLane = db.prepare('SELECT lane AS part, state, n FROM lane_counts WHERE lane = ?');
    this.countContext = db.prepare(
      `SELECT c.id AS part, k.state, k.n, c.lane FROM contexts c JOIN context_counts k ON k.context = c.id
       WHERE c.key = ? AND c.name = ?`,
    );
    const since = (partition: Partition): Statement<[number, number, number], number> =>
      db
        .prepare<[number, number, number], number>(
          `SELECT count(*) FROM tasks INDEXED BY ${INDEX[partition]} WHERE ${WHERE[partition]} AND status_at >= ?`,
        )
        .pluck() as Statement<[number, number, number], number>;
    this.countSince = { all: since('all'), lane: since('lane'), context: since('context') };
  }

  /** See `Mirror.list`. */
  list(query: TaskQuery): TaskPage {
    const partition = partitionOf(query);
    const state = query.state === undefined ? undefined : stateCode(query.state);
    let arms = this.arms(partition, query);
    if (query.state !== undefined) arms = arms.filter((arm) => arm.state === state);
    const since = query.statusSince;
    if (since !== undefined) {
      const count = this.countSince[partition];
      for (const arm of arms) arm.n = count.get(arm.part, arm.state, since) ?? 0;
      arms = arms.filter((arm) => arm.n > 0);
    }
    const total = arms.reduce((sum, arm) => sum + arm.n, 0);
    const found = this.page(partition, arms, query);
    const rows = found.slice(0, query.pageSize).map((row) => this.taskRow(row));
    const last = rows.at(-1);
    const more = found.length > query.pageSize && last;
    return { rows, total, ...(more ? { next: { statusAt: last.statusAt, taskId: last.taskId } } : {}) };
  }

  /** The ranges that hold at least one task, with how many. */
  private arms(partition: Partition, query: TaskQuery): Arm[] {
    if (partition === 'all') return this.countAll.all();
    if (query.contextId === undefined) return this.lanes.matching(query).flatMap((lane) => this.countLane.all(lane.id));
    const arms = this.countContext.all(lookupKey(query.contextId), query.contextId);
    return arms.filter(({ lane }) => matches(this.lanes.get(lane), query));
  }

  /** Up to one row more than a page, in list order. */
  private page(partition: Partition, arms: readonly Arm[], query: TaskQuery): StoredRow[] {
    const limit = query.pageSize + 1;
    const after = query.after ?? { statusAt: Number.MAX_SAFE_INTEGER, taskId: '' };
    const since = query.statusSince ?? Number.MIN_SAFE_INTEGER;
    const found: StoredRow[] = [];
    for (let start = 0; start < arms.length; start += ARMS_AT_ONCE) {
      const chunk = arms.slice(start, start + ARMS_AT_ONCE);
      const bound = chunk.flatMap((arm) => [arm.part, arm.state, since, after.statusAt, after.taskId]);
      found.push(...this.statement(partition, chunk.length).all(...bound, limit));
    }
    return found.sort(listOrder).slice(0, limit);
  }

  private statement(partition: Partition, arms: number): Statement<unknown[], StoredRow> {
    const name = `${partition} ${arms}`;
    const known = this.pages.get(name);
    if (known) return known;
    // Each arm yields keys from its index alone, in order; only the rows of the page are read from the table.
    const arm = `SELECT id, status_at, task_id FROM tasks INDEXED BY ${INDEX[partition]}
      WHERE ${WHERE[partition]} AND status_at >= ? AND (status_at, task_id) < (?, ?)`;
    const merged = Array.from({ length: arms }, () => arm).join(' UNION ALL ');
    const made = this.db.prepare<unknown[], StoredRow>(
      `SELECT t.task_id, t.lane, t.state, t.status_at, t.created_at, t.seq, t.head, c.name AS context
       FROM (${merged} ORDER BY status_at DESC, task_id DESC LIMIT ?) AS p
       CROSS JOIN tasks t ON t.id = p.id CROSS JOIN contexts c ON c.id = t.context`,
    );
    this.pages.set(name, made);
    return made;
  }

  private taskRow(row: StoredRow): TaskPage['rows'][number] {
    const { scope, caller, agent } = this.lanes.get(row.lane);
    return {
      taskId: row.task_id,
      scope,
      caller,
      agent,
      contextId: row.context,
      state: stateName(row.state),
      statusAt: row.status_at,
      createdAt: row.created_at,
      seq: row.seq,
      head: row.head,
    };
  }
}

function partitionOf(query: TaskQuery): Partition {
  if (query.contextId !== undefined) return 'context';
  const { caller, agent, direct } = query;
  return (caller ?? agent ?? direct) === undefined ? 'all' : 'lane';
}

/** Newest first, ties by id descending. Ids are ASCII, so this order is the database's own. */
function listOrder(a: StoredRow, b: StoredRow): number {
  if (a.status_at !== b.status_at) return b.status_at - a.status_at;
  return a.task_id < b.task_id ? 1 : -1;
}
