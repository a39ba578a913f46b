// The one Message that answers a prompt to an agent without tasks, read from the task that stays internal.
import { isTerminal, type Message } from '../a2a-model.js';
import type { TaskRecord } from './records.js';

/**
 * The reply of a task whose envelope is `direct`, without the task's id; undefined until the task has ended. A run that
 * ended otherwise than completed is told in words, like in a task's status; then `failed` is true.
 */
export function directReply({ task, envelope }: TaskRecord): { message: Message; failed: boolean } | undefined {
  const { state, message: said } = task.status;
  if (!isTerminal(state)) return undefined;
  const failed = state !== 'TASK_STATE_COMPLETED';
  const answer = failed ? said : task.history.findLast(({ role }) => role === 'ROLE_AGENT');
  const { taskId: _internal, ...message } = answer ?? {
    messageId: `${task.id}-${envelope.seq}`,
    role: 'ROLE_AGENT' as const,
    parts: [{ text: 'The agent gave no answer.' }],
  };
  return { message: { ...message, contextId: task.contextId }, failed };
}
