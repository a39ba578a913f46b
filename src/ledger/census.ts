// How many tasks there are, and how far files and index are behind the journal: for limits and numbers. Read from counts
// that the index keeps, so no task is looked at; the latest change may not be counted yet.
import { isTerminal, TASK_STATES, type TaskState } from '../a2a-model.js';
import type { Mirror } from '../mirror/rows.js';
import type { StorageUse } from '../workspace/storage-use.js';
import type { Checkpointer } from './checkpointer.js';

export class Census {
  constructor(
    private readonly mirror: Pick<Mirror, 'countOf' | 'countsByState'>,
    private readonly checkpointer: Pick<Checkpointer, 'behind'>,
    private readonly storage: Pick<StorageUse, 'reaches'> | undefined,
  ) {}

  /** True when a scope keeps `limit` bytes or more, as far as is known. */
  keeps(scope: string, limit: number): boolean {
    return this.storage?.reaches(scope, limit) ?? false;
  }

  /** Tasks that a scope keeps, ended ones included. */
  stored(scope: string): number {
    return this.mirror.countOf(scope);
  }

  /** Tasks that are not at their end, for every such state. */
  live(): { state: TaskState; count: number }[] {
    const counts = new Map(this.mirror.countsByState().map(({ state, count }) => [state, count]));
    return TASK_STATES.filter((state) => !isTerminal(state)).map((state) => ({ state, count: counts.get(state) ?? 0 }));
  }

  /** Tasks whose checkpoint (`files`) or row in the index (`rows`) is behind the journal. */
  get behind(): { files: number; rows: number } {
    return this.checkpointer.behind;
  }
}
