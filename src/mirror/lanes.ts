// The lanes (scope, caller, agent) in memory: there are as many as callers times the agents they use, never per task.
import type { Database, Statement } from 'better-sqlite3';

export interface Lane {
  readonly id: number;
  readonly scope: string;
  readonly caller: string;
  readonly agent: string;
}

export class Lanes {
  private readonly byId = new Map<number, Lane>();
  private readonly byName = new Map<string, Lane>();
  private readonly insert: Statement<[string, string, string]>;

  constructor(db: Database) {
    this.insert = db.prepare('INSERT INTO lanes (scope, caller, agent) VALUES (?, ?, ?)');
    for (const lane of db.prepare<[], Lane>('SELECT id, scope, caller, agent FROM lanes').all()) this.remember(lane);
  }

  /** The lane's number, made when new. Call outside a transaction: a rollback would leave a number without a row. */
  idOf(scope: string, caller: string, agent: string): number {
    const known = this.byName.get(nameOf(scope, caller, agent));
    if (known) return known.id;
    const id = Number(this.insert.run(scope, caller, agent).lastInsertRowid);
    this.remember({ id, scope, caller, agent });
    return id;
  }

  get(id: number): Lane {
    const lane = this.byId.get(id);
    if (!lane) throw new Error(`the mirror holds a task of the unknown lane ${id}`);
    return lane;
  }

  /** All lanes for which every given member is equal. */
  matching(wanted: { scope?: string; caller?: string; agent?: string }): Lane[] {
    const found: Lane[] = [];
    for (const lane of this.byId.values()) {
      if (wanted.scope !== undefined && wanted.scope !== lane.scope) continue;
      if (wanted.caller !== undefined && wanted.caller !== lane.caller) continue;
      if (wanted.agent !== undefined && wanted.agent !== lane.agent) continue;
      found.push(lane);
    }
    return found;
  }

  private remember(lane: Lane): void {
    this.byId.set(lane.id, lane);
    this.byName.set(nameOf(lane.scope, lane.caller, lane.agent), lane);
  }
}

const nameOf = (scope: string, caller: string, agent: string): string => `${scope}\n${caller}\n${agent}`;
