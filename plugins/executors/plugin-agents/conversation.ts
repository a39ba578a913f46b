// What one caller and one agent said in a conversation: the histories of its tasks, one after the other.
import type { Message } from '../../../src/a2a-model.js';
import type { Prompt } from '../../../src/executors/contract.js';
import type { Ledger } from '../../../src/ledger/ledger-port.js';

/** How many tasks back it is told. */
const MOST_TASKS = 100;

export function conversation(ledger: Pick<Ledger, 'get' | 'list'>, prompt: Prompt): Message[] {
  const { caller, agent, contextId, taskId } = prompt;
  const { tasks } = ledger.list({ caller: caller.id, agent, contextId, pageSize: MOST_TASKS });
  const others = tasks
    .flatMap(({ record }) => (record.taskId === taskId ? [] : (ledger.get(record.taskId) ?? [])))
    .sort((a, b) => a.envelope.createdAt - b.envelope.createdAt);
  const own = ledger.get(taskId);
  return structuredClone([...others, ...(own ? [own] : [])].flatMap(({ task }) => task.history));
}
