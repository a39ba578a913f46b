// From what a request says to an operation on an agent: everything that can be refused on the request's own grounds is
// refused here, for all bindings alike.
import { AppError } from '../../../src/errors.js';
import type { Core } from '../../../src/plugin.js';
import type { Caller } from '../../../src/workspace/callers.js';
import type { CardSource } from '../../../src/workspace/settings.js';
import { agentMissing, agentNotFound, ownAgent, usableAgent } from './agent-access.js';
import type { CallHeaders, CallTarget } from './call.js';
import { activeExtensions, offeredExtensions, requestedExtensions } from './extensions.js';
import { invalid } from './fields.js';
import { acceptsInput } from './input-modes.js';
import { isStreaming, readOperation, type Operation } from './operation.js';
import { LEGACY_VERSION, type ProtocolVersion } from './protocol-version.js';
import type { ReadRequest } from './read-request.js';

export type CheckPorts = Pick<Core, 'capabilities' | 'config' | 'net' | 'registry' | 'workspaces'>;

interface AskedCall {
  caller: Caller;
  version: ProtocolVersion;
  headers: CallHeaders;
  /** The agent that the address names. */
  pathAgent?: string;
}

/** The extensions in force. Throws AppError `extension-required`. */
export const extensionsFor = ({ config }: CheckPorts, { headers, version }: AskedCall): string[] =>
  activeExtensions(
    requestedExtensions(headers, version === LEGACY_VERSION),
    config.requiredExtensions,
    offeredExtensions(config),
  );

/** Throws AppErrors. */
export function checkedCall(
  core: CheckPorts,
  { caller, version, pathAgent }: AskedCall,
  request: ReadRequest,
): { target: CallTarget; operation: Operation } {
  const target = findTarget(core, caller, request, pathAgent);
  const operation = readOperation(request.name, request.params, {
    maxPartBytes: core.config.maxPartBytes,
    accepts: (mediaType, skill) => acceptsInput(mediaType, skill, () => skillsOf(core, target)),
    urlProblem: (url) => core.net.urlProblem({ purpose: 'webhook', trusted: false }, url),
    pushNotifications: core.capabilities.has('push-notifications'),
    version,
  });
  if (isStreaming(operation.name) && !core.config.streaming) {
    throw new AppError('unsupported-operation', 'There are no streams here; poll the task, or register a webhook.');
  }
  return { target, operation };
}

function findTarget(
  core: CheckPorts,
  caller: Caller,
  { name, tenant }: ReadRequest,
  pathAgent: string | undefined,
): CallTarget {
  if (pathAgent !== undefined && tenant !== undefined && tenant !== pathAgent) {
    throw invalid('tenant', 'differs from the agent in the address');
  }
  const agent = usableAgent(core, caller, pathAgent ?? tenant ?? ownAgent(caller));
  if (!agent) throw pathAgent === undefined ? agentMissing(name) : agentNotFound();
  return { agent, byPath: pathAgent !== undefined, ...(tenant !== undefined && { tenant }) };
}

/** The skills with what their owner's card says about their input. */
const skillsOf = ({ workspaces }: CheckPorts, { agent }: CallTarget): readonly CardSource['skills'][number][] =>
  agent.kind === 'workspace' ? workspaces.card(agent.name).skills : agent.skills;
