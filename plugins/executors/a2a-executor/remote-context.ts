// Where a prompt continues at a remote agent: the task it asked a question for, else the conversation that the last task
// of this context was part of.
import type { Prompt } from '../../../src/executors/contract.js';
import type { Ledger } from '../../../src/ledger/ledger-port.js';
import type { RemoteRef } from '../../../src/ledger/records.js';

/** How many of a context's newest tasks are looked at; the one before this normally knows. */
const LOOK_BACK = 5;

export function remoteContext(
  ledger: Pick<Ledger, 'get' | 'list'>,
  {
    cid,
    turn,
    agent,
    contextId,
    caller,
    lookIn,
  }: Pick<Prompt, 'cid' | 'turn' | 'agent' | 'contextId' | 'caller' | 'lookIn'>,
): RemoteRef | undefined {
  const own = ledger.get(cid)?.envelope.remote;
  if (turn > 1 && own) return own;
  const { tasks } = ledger.list({ caller: caller.id, agent, contextId, pageSize: LOOK_BACK });
  for (const { record } of tasks) {
    const before = record.taskId === cid ? undefined : ledger.get(record.taskId)?.envelope;
    const known = before?.remote?.contextId;
    // Another list may have another agent of that name.
    if (known !== undefined && before?.lookIn === lookIn) return { agent, contextId: known };
  }
  return undefined;
}
