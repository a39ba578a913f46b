// Agent cards: what an owner says about an agent, plus what the switchboard offers. Nothing else may enter: a card is
// public, so drivers, models, paths, limits and keys have no way in here.
import type { AgentInterface } from '@a2a-js/sdk';
import type { Capabilities } from '../../../src/capabilities.js';
import { duplicateInterfacesForLegacy } from '@a2a-js/sdk/compat/v0_3';
import type { Config } from '../../../src/config.js';
import type { CardSource } from '../../../src/workspace/settings.js';
import { offeredExtensions, requiredExtensions } from './extensions.js';
import { INPUT_MODES, OUTPUT_MODES } from './input-modes.js';
import { PROTOCOL_VERSION } from './protocol-version.js';
import type { WireCard } from '../../../src/a2a-v0-3/wire.js';
import { reducedCard } from './signing/reduced-card.js';

/** Those of an interface URL, in the order of preference. */
const BINDINGS = ['JSONRPC', 'HTTP+JSON'];
const GRPC = 'GRPC';

/** What a card shows for an agent whose owner lists no skill. */
export const GENERAL_SKILL = {
  id: 'conversation',
  name: 'Conversation',
  description: 'Answers messages, keeps the thread of a conversation and takes files.',
  tags: ['conversation'],
};

export type CardWords = Pick<CardSource, 'name' | 'description'> &
  Partial<CardSource> & {
    /** False: this agent has no extended card, although others may. */
    extendedCard?: boolean;
  };

/** What of the configuration, and of what is installed, shows in cards. */
interface CardSettings {
  config: Pick<Config, 'extendedCards' | 'idempotentSend' | 'requiredExtensions' | 'streaming'>;
  capabilities: Pick<Capabilities, 'has'>;
}

/** Where an agent is reached. */
interface CardPlace {
  /** The one address of both HTTP bindings in both versions. */
  url: string;
  /** What requests to it must carry. */
  tenant?: string;
  /** Present while gRPC is spoken; there the tenant alone selects an agent. */
  grpc?: { address: string; tenant?: string };
}

/** The 1.0 card as ProtoJSON, in the form that its signatures cover. */
export function agentCard(
  { config, capabilities }: CardSettings,
  words: CardWords,
  { url, tenant = '', grpc }: CardPlace,
): WireCard {
  const offered = offeredExtensions(config);
  const required = requiredExtensions(config.requiredExtensions, offered);
  const skills = words.skills && words.skills.length > 0 ? words.skills : [GENERAL_SKILL];
  return reducedCard({
    name: words.name,
    description: words.description || `The agent ${words.name}.`,
    version: words.version || '1.0.0',
    supportedInterfaces: duplicateInterfacesForLegacy(
      [
        ...BINDINGS.map((protocolBinding) => ({ url, protocolBinding, protocolVersion: PROTOCOL_VERSION, tenant })),
        ...(grpc ? [grpcInterface(grpc)] : []),
      ],
      // gRPC of 0.3 has no tenant: where one is needed to reach the agent, it would be another that answers.
      grpc?.tenant === undefined ? [...BINDINGS, GRPC] : BINDINGS,
    ),
    capabilities: {
      streaming: config.streaming,
      pushNotifications: capabilities.has('push-notifications'),
      extendedAgentCard: config.extendedCards && words.extendedCard !== false,
      extensions: offered.map((extension) => ({ ...extension, required: required.includes(extension.uri) })),
    },
    securitySchemes: {
      apiKey: { apiKeySecurityScheme: { location: 'header', name: 'X-API-Key', description: 'A key of this server.' } },
      bearer: { httpAuthSecurityScheme: { scheme: 'Bearer', description: 'The same key as a bearer token.' } },
    },
    securityRequirements: [{ schemes: { apiKey: { list: [] } } }, { schemes: { bearer: { list: [] } } }],
    defaultInputModes: [...INPUT_MODES],
    defaultOutputModes: [...OUTPUT_MODES],
    skills: skills.map((skill) => ({
      ...skill,
      description: skill.description || skill.name,
      // The protocol wants at least one.
      tags: skill.tags.length > 0 ? skill.tags : [skill.id],
    })),
    ...(words.provider && { provider: words.provider }),
    ...(words.iconUrl !== undefined && { iconUrl: words.iconUrl }),
    ...(words.documentationUrl !== undefined && { documentationUrl: words.documentationUrl }),
  });
}

const grpcInterface = ({ address, tenant = '' }: NonNullable<CardPlace['grpc']>): AgentInterface => ({
  url: address,
  protocolBinding: GRPC,
  protocolVersion: PROTOCOL_VERSION,
  tenant,
});
