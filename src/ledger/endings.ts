// How the ledger itself ends a turn that nobody else can end any more.
import type { TaskEvent, TaskRecord } from './records.js';

/** For the one who asked for a step. */
export const NOT_STORED = 'The switchboard could not store this; nothing was accepted.';

/** For those who follow a task that exists: unlike the one who asked for a step, they must not think it is not there. */
export const LOST_STEP = 'The switchboard could not store what came next; the task is kept, ask for it again.';

export function interruption({ envelope }: TaskRecord): TaskEvent {
  const error = { code: 'interrupted', text: 'The server restarted while this task was running.' };
  return { type: 'turn-ended', turn: envelope.turn, state: 'TASK_STATE_FAILED', error };
}

/** The end of a turn that was canceled; the ledger mostly learned of the cancel before. */
export const isCancelEcho = (event: TaskEvent): boolean =>
  event.type === 'turn-ended' && event.state === 'TASK_STATE_CANCELED';

export function storageFailure({ envelope }: TaskRecord): TaskEvent {
  const error = { code: 'storage-failed', text: 'The run could not be stored.' };
  return { type: 'turn-ended', turn: envelope.turn, state: 'TASK_STATE_FAILED', error };
}
