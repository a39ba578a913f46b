// The card of one agent: its owner's words, and for a known caller only what that caller may use.
import { AppError } from '../../../src/errors.js';
import type { AgentInfo } from '../../../src/executors/contract.js';
import type { Core } from '../../../src/plugin.js';
import type { Caller } from '../../../src/workspace/callers.js';
import { agentCard, type CardWords } from './card.js';
import type { WireCard } from '../../../src/a2a-v0-3/wire.js';
import type { CardSigner } from './signing/sign-card.js';

export type CardPorts = Pick<Core, 'capabilities' | 'config' | 'workspaces' | 'baseUrl'> & {
  /** `host:port` while gRPC is spoken. */
  grpcAddress(): string | undefined;
  signer: CardSigner;
};

/** The public card, for the agent's own address. */
export const publicCard = (core: CardPorts, agent: AgentInfo): WireCard =>
  agentCard(core, wordsOf(core, agent), {
    url: `${core.baseUrl()}/agents/${agent.name}/a2a`,
    ...grpcPlace(core, agent.name),
  });

/** Whether `extendedCard` gives one. */
export const hasExtendedCard = (core: CardPorts, agent: AgentInfo): boolean =>
  core.config.extendedCards && wordsOf(core, agent).extendedCard !== false;

/** gRPC has no path to name the agent; that of 0.3 has no tenant either, and reaches only the key's own workspace. */
export function grpcPlace(core: CardPorts, tenant?: string): { grpc?: { address: string; tenant?: string } } {
  const address = core.grpcAddress();
  return address === undefined ? {} : { grpc: { address, ...(tenant !== undefined && { tenant }) } };
}

/**
 * The extended card: the agent as this caller may use it, at the address it was asked for: its own path, or the common
 * one, with the tenant that selected it there. Throws `unsupported-operation` where no card promises one, and
 * `extended-card-not-configured` where the common card does and this agent has none.
 */
export function extendedCard(
  core: CardPorts,
  caller: Caller,
  { agent, byPath, tenant }: { agent: AgentInfo; byPath: boolean; tenant?: string },
): WireCard {
  const words = wordsOf(core, agent);
  if (!core.config.extendedCards || (byPath && words.extendedCard === false)) {
    throw new AppError('unsupported-operation', 'There is no extended agent card here.');
  }
  if (words.extendedCard === false) {
    throw new AppError('extended-card-not-configured', `The agent ${agent.name} has no extended card.`);
  }
  const skills = words.skills?.filter(({ id }) => caller.skills?.includes(id) ?? true);
  const url = `${core.baseUrl()}${byPath ? `/agents/${agent.name}` : ''}/a2a`;
  return agentCard(
    core,
    { ...words, skills },
    {
      url,
      ...(!byPath && tenant !== undefined && { tenant }),
      ...grpcPlace(core, byPath ? agent.name : tenant),
    },
  );
}

function wordsOf({ workspaces }: CardPorts, agent: AgentInfo): CardWords {
  if (agent.kind === 'workspace') {
    return { ...workspaces.card(agent.name), extendedCard: workspaces.settings(agent.name).extendedCard };
  }
  return { name: agent.name, description: agent.description ?? '', skills: agent.skills };
}
