// How many tasks there are, and how far files and index are behind the journal: for limits and numbers. Read from counts
// that the index keeps, so no task is looked at; the latest change may not be counted yet.
import { isTerminal, TASK_STATES, type TaskState } from '../a2a-model.js';
import type { Mirror } from '../mirror/rows.js';
import type { StorageUse } from '../workspace/storage-use.js';
import type { Checkpointer } from './checkpointer.js';
import type { TaskCensus } from './ledger-port.js';

export class Census implements TaskCensus {
  constructor(
    private readonly mirror: Pick<Mirror, 'countOf' | 'countsByState'>,
    private readonly checkpointer: Pick<Checkpointer, 'behind'>,
    private readonly storage: Pick<StorageUse, 'reaches'> | undefined,
  ) {}

  keeps(scope: string, limit: number): boolean {
    return this.storage?.reaches(scope, limit) ?? false;
  }

  stored(scope: string): number {
    return this.mirror.countOf(scope);
  }

  live(): { state: TaskState; count: number }[] {
    const counts = new Map(this.mirror.countsByState().map(({ state, count }) => [state, count]));
    return TASK_STATES.filter((state) => !isTerminal(state)).map((state) => ({ state, count: counts.get(state) ?? 0 }));
  }

  get behind(): { files: number; rows: number } {
    return this.checkpointer.behind;
  }
}
