// Whose a task is: the caller's who opened it, seen through the agent it was opened with. Anything else does not exist.
import type { Ledger } from '../../../src/ledger/ledger-port.js';
import type { TaskRecord } from '../../../src/ledger/records.js';
import type { Call } from './call.js';
import { taskNotFound } from './read-message.js';

type Viewer = Pick<Call, 'caller' | 'target'>;

/** Of this caller, with this agent; also when it is internal. */
export const isOwn = ({ envelope }: TaskRecord, { caller, target }: Viewer): boolean =>
  envelope.caller.id === caller.id && envelope.agent === target.agent.name;

/** The caller's task. Throws `task-not-found`, the same for unknown, malformed, foreign and internal ones. */
export function ownTask(ledger: Pick<Ledger, 'get'>, viewer: Viewer, taskId: string): TaskRecord {
  const record = ledger.get(taskId);
  if (!record || record.envelope.direct || !isOwn(record, viewer)) throw taskNotFound();
  return record;
}
