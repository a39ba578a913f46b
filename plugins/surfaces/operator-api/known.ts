// What a request names must be there.
import { AppError } from '../../../src/errors.js';
import type { TaskRecord } from '../../../src/ledger/records.js';
import type { Core } from '../../../src/plugin.js';

/** Throws `task-not-found`. */
export function knownTask({ ledger }: Pick<Core, 'ledger'>, taskId: string): TaskRecord {
  const record = ledger.get(taskId);
  if (record === undefined) throw new AppError('task-not-found', 'There is no such task.');
  return record;
}

/** Throws `not-found` unless no workspace is named, or one that there is. */
export function mustBeWorkspace({ workspaces }: Pick<Core, 'workspaces'>, name: string | undefined): void {
  if (name !== undefined && !workspaces.has(name)) throw new AppError('not-found', 'There is no such workspace.');
}
