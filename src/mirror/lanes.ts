// The lanes (scope, caller, agent, whether its tasks are internal) in memory: there are as many as callers times the agents
// they use, never per task.
import type { Database, Statement } from 'better-sqlite3';

interface LaneKey {
  readonly scope: string;
  readonly caller: string;
  readonly agent: string;
  /** Its tasks stay internal: the agent answered with messages. */
  readonly direct?: boolean | undefined;
}

interface Lane extends LaneKey {
  readonly id: number;
  readonly direct: boolean;
}

export class Lanes {
  private readonly byId = new Map<number, Lane>();
  private readonly byName = new Map<string, Lane>();
  private readonly insert: Statement<[string, string, string, number]>;

  constructor(db: Database) {
    this.insert = db.prepare('INSERT INTO lanes (scope, caller, agent, direct) VALUES (?, ?, ?, ?)');
    const stored = db.prepare<[], Omit<Lane, 'direct'> & { direct: number }>('SELECT * FROM lanes').all();
    for (const lane of stored) this.remember({ ...lane, direct: lane.direct === 1 });
  }

  /** The lane's number, made when new. Call outside a transaction: a rollback would leave a number without a row. */
  idOf(key: LaneKey): number {
    const known = this.byName.get(nameOf(key));
    if (known) return known.id;
    const { scope, caller, agent, direct = false } = key;
    const id = Number(this.insert.run(scope, caller, agent, Number(direct)).lastInsertRowid);
    this.remember({ id, scope, caller, agent, direct });
    return id;
  }

  get(id: number): Lane {
    const lane = this.byId.get(id);
    if (!lane) throw new Error(`the mirror holds a task of the unknown lane ${id}`);
    return lane;
  }

  /** All lanes for which every given member is equal. */
  matching(wanted: Partial<LaneKey>): Lane[] {
    return [...this.byId.values()].filter((lane) => matches(lane, wanted));
  }

  private remember(lane: Lane): void {
    this.byId.set(lane.id, lane);
    this.byName.set(nameOf(lane), lane);
  }
}

/** True when every given member is equal. */
export const matches = (lane: Lane, { scope, caller, agent, direct }: Partial<LaneKey>): boolean =>
  (scope ?? lane.scope) === lane.scope &&
  (caller ?? lane.caller) === lane.caller &&
  (agent ?? lane.agent) === lane.agent &&
  (direct ?? lane.direct) === lane.direct;

const nameOf = ({ scope, caller, agent, direct = false }: LaneKey): string =>
  `${scope}\n${caller}\n${agent}\n${direct}`;
