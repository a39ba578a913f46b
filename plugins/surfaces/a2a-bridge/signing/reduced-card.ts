// A card as its signature covers it. Fields with the schema's default are left out, since a reader can't tell them from
// unset ones; except required fields, which are always there, and optional ones that were set.
import { AgentCard } from '@a2a-js/sdk';
import type { WireCard } from '../../../../src/a2a-v0-3/wire.js';

type Json = Record<string, unknown>;

/** The card without signatures, in any spelling that ProtoJSON allows, reduced. What the schema does not know is dropped. */
export function reducedCard(card: object): WireCard {
  const { signatures: _signatures, ...reduced } = AgentCard.toJSON(AgentCard.fromJSON(card)) as Json;
  const whole = { ...CARD, ...reduced };
  return {
    ...whole,
    supportedInterfaces: each(whole.supportedInterfaces, INTERFACE),
    skills: each(whole.skills, SKILL),
    ...(reduced['provider'] !== undefined && { provider: { ...PROVIDER, ...reduced['provider'] } }),
  } as unknown as WireCard;
}

const each = (values: unknown, required: Json): Json[] =>
  (values as Json[]).map((value) => ({ ...required, ...value }));

/** The required fields, empty. */
const CARD = {
  name: '',
  description: '',
  version: '',
  supportedInterfaces: [],
  capabilities: {},
  defaultInputModes: [],
  defaultOutputModes: [],
  skills: [],
};
const INTERFACE = { url: '', protocolBinding: '', protocolVersion: '' };
const SKILL = { id: '', name: '', description: '', tags: [] };
const PROVIDER = { url: '', organization: '' };
