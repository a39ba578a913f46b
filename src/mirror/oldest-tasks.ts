// The tasks of a scope that have been in a state the longest. Like a list, a page merges ranges of one index, so its cost
// grows with the number of lanes and never with the number of tasks.
import type { Database, Statement } from 'better-sqlite3';
import type { Lanes } from './lanes.js';
import type { AgedTask, OldestQuery } from './rows.js';
import { stateCode } from './state-code.js';

interface Arm {
  lane: number;
  state: number;
  n: number;
}

/** SQLite takes at most 500 arms in one statement. */
const ARMS_AT_ONCE = 64;

export class OldestTasks {
  private readonly counts: Statement<[number], Arm>;
  private readonly pages = new Map<number, Statement<unknown[], AgedTask>>();

  constructor(
    private readonly db: Database,
    private readonly lanes: Lanes,
  ) {
    this.counts = db.prepare('SELECT lane, state, n FROM lane_counts WHERE lane = ?');
  }

  /** See `Mirror.oldest`. */
  page({ scope, states, after, limit }: OldestQuery): AgedTask[] {
    const arms = this.arms(scope, states);
    const { statusAt, taskId } = after ?? { statusAt: Number.MIN_SAFE_INTEGER, taskId: '' };
    const found: AgedTask[] = [];
    for (let start = 0; start < arms.length; start += ARMS_AT_ONCE) {
      const chunk = arms.slice(start, start + ARMS_AT_ONCE);
      const bound = chunk.flatMap((arm) => [arm.lane, arm.state, statusAt, taskId]);
      found.push(...this.statement(chunk.length).all(...bound, limit));
    }
    return found.sort(byAge).slice(0, limit);
  }

  count(scope: string, states: readonly string[]): number {
    return this.arms(scope, states).reduce((sum, { n }) => sum + n, 0);
  }

  private arms(scope: string, states: readonly string[]): Arm[] {
    const codes = new Set(states.map(stateCode));
    return this.lanes
      .matching({ scope })
      .flatMap(({ id }) => this.counts.all(id))
      .filter(({ state }) => codes.has(state));
  }

  private statement(arms: number): Statement<unknown[], AgedTask> {
    const known = this.pages.get(arms);
    if (known) return known;
    const arm = `SELECT task_id AS taskId, status_at AS statusAt FROM tasks INDEXED BY tasks_by_lane
      WHERE lane = ? AND state = ? AND (status_at, task_id) > (?, ?)`;
    const merged = Array.from({ length: arms }, () => arm).join(' UNION ALL ');
    const made = this.db.prepare<unknown[], AgedTask>(`${merged} ORDER BY statusAt, taskId LIMIT ?`);
    this.pages.set(arms, made);
    return made;
  }
}

/** Ids are ASCII, so this order is the database's own. */
const byAge = (a: AgedTask, b: AgedTask): number => a.statusAt - b.statusAt || (a.taskId < b.taskId ? -1 : 1);
