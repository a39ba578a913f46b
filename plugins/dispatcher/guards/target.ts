// Guard 1: the request names something that exists and can take it: the task it continues, and the agent.
import { isTerminal } from '../../../src/a2a-model.js';
import { refuse, type Candidate, type Guard, type GuardPorts, type Verdict } from '../guard.js';
import { agentOf, resolveAgent } from '../resolve.js';

export const target: Guard = {
  name: 'target',
  check(candidate, ports) {
    return candidate.request.continues ? checkTask(candidate, ports) : checkAgent(candidate, ports);
  },
};

function checkAgent(candidate: Candidate, { core }: GuardPorts): Verdict {
  const { request } = candidate;
  const found = resolveAgent(request, core.registry, core.config.defaultAgent);
  if (!found) return refuse('agent-not-found', unknownAgent(request.agent));
  const { agent, reason } = found;
  if (request.skill !== undefined && reason !== 'skill' && !agent.skills.some((skill) => skill.id === request.skill)) {
    return refuse('invalid-params', 'The agent does not offer this skill.', {
      violations: [{ field: 'metadata.skill', description: 'names no skill of the agent' }],
    });
  }
  candidate.target = found;
  return undefined;
}

function checkTask(candidate: Candidate, { core }: GuardPorts): Verdict {
  const { request, record } = candidate;
  const { cid, caller, agent, contextId } = request;
  const mine = record && record.envelope.caller.id === caller.id && !record.envelope.direct;
  if (!record || !(mine || caller.id === 'operator') || (agent !== undefined && agent !== record.envelope.agent)) {
    return refuse('task-not-found', `Task ${cid} does not exist.`);
  }
  const { task, envelope } = record;
  if (contextId !== task.contextId) {
    return refuse('invalid-params', 'The task belongs to another context.', {
      violations: [{ field: 'message.contextId', description: "differs from the task's context" }],
    });
  }
  const found = agentOf(record, core.registry);
  if (!found) {
    if (request.decision === 'decline') return { declineAtOnce: true };
    return refuse('agent-not-found', isTerminal(task.status.state) ? GONE : `${GONE} The task can only be canceled.`);
  }
  if (!found.agent.exposed && caller.id !== 'operator') return refuse('agent-not-found', unknownAgent(envelope.agent));
  candidate.target = { ...found, reason: 'named' };
  return undefined;
}

const GONE = 'The agent that this task belongs to is not here any more.';

const unknownAgent = (name: string | undefined): string =>
  name === undefined ? 'Name an agent: there is no default one.' : 'There is no such agent.';
