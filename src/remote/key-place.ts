// Where a card wants the key: its security requirements and schemes, in the spelling of 1.0 and of 0.3. Pure.
import { isObject } from '../read-json.js';

export type KeyPlace =
  | { in: 'header'; name: string; scheme?: 'Bearer' | 'Basic' }
  | { in: 'query'; name: string }
  | { in: 'cookie'; name: string };

const BEARER = { in: 'header', name: 'Authorization', scheme: 'Bearer' } as const satisfies KeyPlace;
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Headers that the connection needs for itself; a card that wants the key there is not followed. */
const TAKEN: ReadonlySet<string> = new Set(
  'host connection content-length content-type transfer-encoding upgrade te expect accept a2a-version traceparent'.split(
    ' ',
  ),
);

/**
 * The places that hold a key by this card: those of requirements that one key fulfils, then those of declared schemes,
 * Bearer when there are none.
 */
export function keyPlaces(card: Record<string, unknown>): KeyPlace[] {
  const schemes = isObject(card['securitySchemes']) ? card['securitySchemes'] : {};
  const required = requirements(card).flatMap((names) => (names.length === 1 ? names : []));
  const places: KeyPlace[] = [];
  for (const name of [...required, ...Object.keys(schemes)]) {
    const place = Object.hasOwn(schemes, name) ? placeOf(schemes[name]) : undefined;
    if (place && !places.some((other) => JSON.stringify(other) === JSON.stringify(place))) places.push(place);
  }
  return places.length > 0 ? places : [BEARER];
}

/** Each alternative as the names of its schemes: `securityRequirements: [{schemes: {…}}]`, or `security: [{…}]`. */
function requirements(card: Record<string, unknown>): string[][] {
  const list = card['securityRequirements'] ?? card['security'];
  return (Array.isArray(list) ? list : []).flatMap((entry: unknown) => {
    if (!isObject(entry)) return [];
    return [Object.keys(isObject(entry['schemes']) ? entry['schemes'] : entry)];
  });
}

function placeOf(raw: unknown): KeyPlace | undefined {
  const scheme = plainScheme(raw);
  switch (scheme?.kind) {
    case 'apiKey':
      return apiKeyPlace(scheme.location, scheme.name);
    case 'http':
      return { ...BEARER, scheme: /^basic$/i.test(String(scheme.scheme)) ? 'Basic' : 'Bearer' };
    case 'oauth2':
    case 'openIdConnect':
      return BEARER;
    default:
      return undefined;
  }
}

interface PlainScheme {
  kind: string;
  location?: unknown;
  name?: unknown;
  scheme?: unknown;
}

const MEMBERS: Readonly<Record<string, string>> = {
  apiKeySecurityScheme: 'apiKey',
  httpAuthSecurityScheme: 'http',
  oauth2SecurityScheme: 'oauth2',
  openIdConnectSecurityScheme: 'openIdConnect',
};

/** 1.0 names the kind by a member, 0.3 by `type`; some servers write their own memory's `scheme.$case`. */
function plainScheme(raw: unknown): PlainScheme | undefined {
  if (!isObject(raw)) return undefined;
  if (typeof raw['type'] === 'string') {
    return { kind: raw['type'], location: raw['in'], name: raw['name'], scheme: raw['scheme'] };
  }
  const inner = raw['scheme'];
  if (isObject(inner) && typeof inner['$case'] === 'string') {
    return plainScheme({ [inner['$case']]: inner['value'] });
  }
  for (const [member, kind] of Object.entries(MEMBERS)) {
    const value = raw[member];
    if (isObject(value)) return { kind, location: value['location'], name: value['name'], scheme: value['scheme'] };
  }
  return undefined;
}

function apiKeyPlace(location: unknown, name: unknown): KeyPlace | undefined {
  if (typeof name !== 'string' || !TOKEN.test(name)) return undefined;
  if (location === 'query' || location === 'cookie') return { in: location, name };
  if (location !== 'header' || TAKEN.has(name.toLowerCase())) return undefined;
  return { in: 'header', name };
}
