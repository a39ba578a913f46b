// What whoever asked for a task is still to be told of it. Pure.
import { isSettled, isTerminal } from '../a2a-model.js';
import type { TaskEnvelope, TaskEvent, TaskRecord } from './records.js';

/** Why an acknowledgement does not fit. */
export const replyRefusal = (
  { replyTo }: Pick<TaskEnvelope, 'replyTo'>,
  { upTo }: Extract<TaskEvent, { type: 'reply-acknowledged' }>,
): string | undefined => {
  if (!replyTo || replyTo.waits) return 'nobody is to be told of it';
  return upTo <= replyTo.acknowledged ? 'it is acknowledged' : undefined;
};

/** Position of the state that is to be told now; undefined when there is none. */
export function owedReply({ task, envelope }: TaskRecord): number | undefined {
  const newest = envelope.transitions.at(-1);
  const { replyTo } = envelope;
  if (!replyTo || replyTo.waits || !newest || !isSettled(task.status.state)) return undefined;
  return newest.seq > replyTo.acknowledged ? newest.seq : undefined;
}

/** True as long as there is, or may come, something to tell. */
export const mayOweReply = (record: TaskRecord): boolean =>
  record.envelope.replyTo !== undefined &&
  !record.envelope.replyTo.waits &&
  (!isTerminal(record.task.status.state) || owedReply(record) !== undefined);
