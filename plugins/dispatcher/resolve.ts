// Which agent a prompt goes to: the named one, else one that offers the skill, else the default, else none. A name that
// does not fit is never silently routed elsewhere.
import type { PromptRequest } from '../../src/bus/topics.js';
import type { AgentRegistry, ResolvedAgent } from '../../src/executors/registry-port.js';
import type { TaskRecord } from '../../src/ledger/records.js';

type Resolution = ResolvedAgent & { reason: 'named' | 'skill' | 'default' };

/** Undefined when no agent fits. Agents that are not exposed exist for the operator only. */
export function resolveAgent(
  request: Pick<PromptRequest, 'agent' | 'skill' | 'caller' | 'lookIn'>,
  registry: AgentRegistry,
  defaultAgent: string | undefined,
): Resolution | undefined {
  const { scope } = request.caller;
  const from = request.lookIn ?? scope;
  const usable = (candidate: ResolvedAgent | undefined): ResolvedAgent | undefined =>
    candidate && (candidate.agent.exposed || scope === 'operator') ? candidate : undefined;

  if (request.agent !== undefined) {
    const named = usable(registry.find(request.agent, from));
    return named && { ...named, reason: 'named' };
  }
  const all = registry.list(from).filter(usable);
  if (request.skill !== undefined) {
    const skilled = all.find(({ agent }) => agent.skills.some((skill) => skill.id === request.skill));
    return skilled && { ...skilled, reason: 'skill' };
  }
  const fallback =
    defaultAgent === undefined ? (all.length === 1 ? all[0] : undefined) : usable(registry.find(defaultAgent, from));
  return fallback && { ...fallback, reason: 'default' };
}

/**
 * The agent that a task belongs to; undefined once it is gone. It is known by its name and its executor: another kind of
 * agent that has taken the name, e.g. a workspace that of a plugin's agent, is not given what others were asked.
 */
export function agentOf({ envelope }: TaskRecord, registry: Pick<AgentRegistry, 'find'>): ResolvedAgent | undefined {
  const found = registry.find(envelope.agent, envelope.lookIn ?? envelope.caller.scope);
  return found?.executor.name === envelope.executor ? found : undefined;
}
