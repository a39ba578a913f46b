// Guard 7: the task can take a turn now, and its context has none running. A workspace may let new messages wait
// instead; the switchboard's own deliveries always wait. A task that has ended is told here, after the duplicates: a
// message sent again is answered by its task, whatever became of that.
import { isTerminal, shortState } from '../../../src/a2a-model.js';
import { contextOf } from '../contexts.js';
import { refuse, targetOf, type Guard } from '../guard.js';

export const busy: Guard = {
  name: 'busy',
  check(candidate, { core, contexts }) {
    const { request, record } = candidate;
    const { agent } = targetOf(candidate);
    const state = record?.task.status.state;
    if (state !== undefined && isTerminal(state)) {
      const ended = `The task is ${shortState(state)} and takes no more messages.`;
      return refuse('unsupported-operation', ended, { taskId: request.cid });
    }
    if (request.decision !== undefined && state !== 'TASK_STATE_AUTH_REQUIRED') {
      return refuse('unsupported-operation', 'The task waits for no decision.', { taskId: request.cid });
    }
    if (state === 'TASK_STATE_SUBMITTED') return busyWith(request.cid, 'waits for its turn');
    if (state === 'TASK_STATE_WORKING') return busyWith(request.cid, 'is running');
    // A caller's words on a task that waits for the operator are only kept.
    if (state === 'TASK_STATE_AUTH_REQUIRED' && request.decision === undefined) return undefined;
    const key = contextOf(record ? { ...request, caller: record.envelope.caller } : request, agent.name);
    const running = contexts.runningIn(key);
    if (running === undefined) return undefined;
    const room = agent.kind === 'workspace' ? core.workspaces.settings(agent.name).queue : 0;
    if (!request.continues && (request.surface === 'delivery' || contexts.waitingIn(key) < room)) {
      candidate.queue = true;
      return undefined;
    }
    return busyWith(running, 'is running in this context');
  },
};

const busyWith = (taskId: string, what: string): ReturnType<typeof refuse> =>
  refuse('busy', `Task ${taskId} ${what}.`, { taskId });
