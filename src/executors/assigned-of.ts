// A turn as it is assigned, out of its task's record. Pure.
import type { PromptAssigned } from '../bus/topics.js';
import type { TaskRecord } from '../ledger/records.js';

/** Without more: how the turn was assigned, for a task whose executor is not asked again. */
export function assignedOf(
  { task, envelope }: TaskRecord,
  executor = envelope.executor,
  reason: PromptAssigned['reason'] = 'named',
): PromptAssigned {
  const { turn, agent, caller, chain, skill, traceparent, synthetic, deadlineAt } = envelope;
  return {
    cid: task.id,
    turn,
    executor,
    agent,
    reason,
    contextId: task.contextId,
    caller,
    chain,
    ...(skill !== undefined && { skill }),
    ...(traceparent !== undefined && { traceparent }),
    ...(synthetic && { synthetic }),
    ...(deadlineAt !== undefined && { deadlineAt }),
  };
}
