// The 0.3 document of a card, made from its 1.0 document, so that there is one source for both.
import { LEGACY_VERSION } from '../protocol-version.js';
import type { Json, WireCard } from '../../../../src/a2a-v0-3/wire.js';

/** What 0.3 cards call the version; they carried the patch number. */
const CARD_VERSION = `${LEGACY_VERSION}.0`;

/** The card as 0.3 clients read it from the well-known address and over JSON-RPC. */
export function legacyCard(card: WireCard): Json {
  const { supportedInterfaces, capabilities = {}, securitySchemes = {}, securityRequirements = [], ...rest } = card;
  const { signatures: _signatures, ...words } = rest;
  const [preferred, ...others] = supportedInterfaces
    .filter(({ protocolVersion }) => protocolVersion === LEGACY_VERSION)
    .map(({ url, protocolBinding }) => ({ url, transport: protocolBinding }));
  const { extendedAgentCard, ...flags } = capabilities;
  return {
    ...words,
    protocolVersion: CARD_VERSION,
    url: preferred?.url,
    preferredTransport: preferred?.transport,
    additionalInterfaces: others,
    capabilities: flags,
    ...(extendedAgentCard !== undefined && { supportsAuthenticatedExtendedCard: extendedAgentCard }),
    securitySchemes: Object.fromEntries(
      Object.entries(securitySchemes).map(([name, scheme]) => [name, legacyScheme(scheme)]),
    ),
    security: securityRequirements.map(({ schemes }) =>
      Object.fromEntries(Object.entries(schemes).map(([name, scopes]) => [name, scopes.list ?? []])),
    ),
  };
}

/** The same as ProtoJSON of the old schema, whose security members are those of 1.0 already. */
export function legacyRestCard(card: WireCard): Json {
  const { securitySchemes, securityRequirements } = card;
  return { ...legacyCard(card), securitySchemes, security: securityRequirements };
}

/**
 * One document for readers of both versions: every member of 1.0, and beside them those of 0.3. Where both use one name,
 * as for a security scheme, the value has the members of both.
 */
export function hybridCard(card: WireCard): Json {
  const { securitySchemes: legacySchemes, capabilities: _flags, ...legacy } = legacyCard(card);
  const schemes = Object.entries(card.securitySchemes ?? {}).map(([name, scheme]) => [
    name,
    { ...(legacySchemes as Record<string, Json>)[name], ...scheme },
  ]);
  return { ...legacy, ...card, securitySchemes: Object.fromEntries(schemes) };
}

const SCHEME_TYPES: Readonly<Record<string, string>> = {
  apiKeySecurityScheme: 'apiKey',
  httpAuthSecurityScheme: 'http',
};

/** Throws for a scheme that no card here declares. */
function legacyScheme(scheme: Record<string, Json>): Json {
  const [[member, value]] = Object.entries(scheme) as [[string, Json]];
  const type = SCHEME_TYPES[member];
  if (type === undefined) throw new Error(`${member} has no 0.3 form here`);
  const { location, ...rest } = value;
  return { type, ...(location !== undefined && { in: location }), ...rest };
}
