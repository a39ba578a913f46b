// How the ledger itself ends a turn that nobody else can end any more.
import type { TaskEvent, TaskRecord } from './records.js';

export function interruption({ envelope }: TaskRecord): TaskEvent {
  const error = { code: 'interrupted', text: 'The server restarted while this task was running.' };
  return { type: 'turn-ended', turn: envelope.turn, state: 'TASK_STATE_FAILED', error };
}

export function storageFailure({ envelope }: TaskRecord): TaskEvent {
  const error = { code: 'storage-failed', text: 'The run could not be stored.' };
  return { type: 'turn-ended', turn: envelope.turn, state: 'TASK_STATE_FAILED', error };
}
