// A task that is not in memory, by its id: the mirror says where it is, its file says what it is.
import { errorText } from '../errors.js';
import type { Logger } from '../log.js';
import type { Mirror } from '../mirror/rows.js';
import { isTaskId } from '../workspace/names.js';
import type { TaskRecord } from './records.js';
import type { ScopeStores } from './scope-stores.js';

/** No folder looks like this: the next start compares the scope's files with its rows, whatever the folder's stamp. */
const UNALIGNED = '';

/** Takes out the row of a task whose file is not there. It may come back, e.g. with a folder that was moved away. */
export function dropRow(mirror: Mirror, scope: string, taskId: string): void {
  mirror.remove([taskId]);
  mirror.stamp(scope, UNALIGNED);
}

/** Rows and files agree: while the folders look like this, a start need not compare them. */
export function stampAligned({ mirror, stores }: { mirror: Mirror; stores: ScopeStores }): void {
  for (const [scope, { checkpoints }] of stores.all()) {
    const stamp = checkpoints.stamp();
    if (stamp !== undefined && mirror.stampOf(scope) !== UNALIGNED) mirror.stamp(scope, stamp);
  }
}

export class TaskFiles {
  constructor(private readonly deps: { mirror: Mirror; stores: ScopeStores; log: Logger }) {}

  /** Undefined for an unknown or malformed id, and for a file that is gone, damaged or of a newer version. */
  read(taskId: string): TaskRecord | undefined {
    const { mirror, stores, log } = this.deps;
    const scope = isTaskId(taskId) ? mirror.scopeOf(taskId) : undefined;
    if (scope === undefined) return undefined;
    try {
      const record = stores.of(scope).checkpoints.read(taskId);
      // A row without a file would show in lists what nobody can get.
      if (!record) dropRow(mirror, scope, taskId);
      // A file that names another scope was put there by hand: nobody gains another's tasks that way.
      else if (record.envelope.caller.scope === scope) return { task: record.task, envelope: record.envelope };
    } catch (error) {
      log.error({ cid: taskId, reason: errorText(error) }, 'a task file could not be read');
    }
    return undefined;
  }
}
