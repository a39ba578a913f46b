// How many tasks there are, from the counts that the database itself keeps.
import type { Database, Statement } from 'better-sqlite3';
import { storing } from './sqlite-code.js';
import { stateName } from './state-code.js';

export class LaneCounts {
  private readonly ofScopes: Statement<[string], number>;
  private readonly ofStates: Statement<[], { state: number; count: number }>;

  constructor(db: Database) {
    this.ofScopes = db
      .prepare<[string], number>(
        'SELECT coalesce(sum(n), 0) FROM lane_counts WHERE lane IN (SELECT id FROM lanes WHERE scope = ?)',
      )
      .pluck();
    this.ofStates = db.prepare('SELECT state, sum(n) AS count FROM lane_counts GROUP BY state');
  }

  of(scope: string): number {
    return storing(() => this.ofScopes.get(scope)) ?? 0;
  }

  byState(): { state: string; count: number }[] {
    const rows = storing(() => this.ofStates.all());
    return rows.map(({ state, count }) => ({ state: stateName(state), count }));
  }
}
