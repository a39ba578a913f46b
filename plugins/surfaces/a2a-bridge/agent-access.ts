// Which agent a caller may talk to. Unknown, not exposed and not permitted are one answer, so that names stay secret.
import type { AgentInfo } from '../../../src/executors/contract.js';
import type { Core } from '../../../src/plugin.js';
import type { Caller } from '../../../src/workspace/callers.js';
import { isName } from '../../../src/workspace/names.js';
import { AppError } from '../../../src/errors.js';
import { Fields, invalid } from './fields.js';
import { isTaskOperation, type OperationName } from './operation.js';
import { taskNotFound } from './read-message.js';

/** The agent, if this caller may use it. */
export function usableAgent(core: Pick<Core, 'registry'>, caller: Caller, name: string): AgentInfo | undefined {
  if (!isName(name) || !caller.agents.includes(name)) return undefined;
  const agent = core.registry.find(name, caller.scope)?.agent;
  return agent?.exposed ? agent : undefined;
}

/** Who is meant where a request names nobody: the key's workspace, or the one agent that the key is for. */
export function ownAgent({ workspace, agents: [first, ...others] }: Pick<Caller, 'workspace' | 'agents'>): string {
  return first !== undefined && others.length === 0 ? first : workspace;
}

/** The one answer for an agent that is no part of the address's path. */
export const agentMissing = (operation: OperationName): AppError =>
  isTaskOperation(operation) ? taskNotFound() : invalid('tenant', 'names no agent that this key may use');

export const agentNotFound = (): AppError => new AppError('agent-not-found', 'There is no such agent.');

/** The tenant that a request names in one or more places. Throws `invalid-params` when they differ. */
export function namedTenant(sources: readonly (Fields | string | undefined)[]): string | undefined {
  let tenant: string | undefined;
  for (const source of sources) {
    const named = source instanceof Fields ? source.string('tenant', 200) : source;
    if (named === undefined) continue;
    if (tenant !== undefined && named !== tenant) throw invalid('tenant', 'differs from the one in the address');
    tenant = named;
  }
  return tenant;
}
