// What is secret in an entry of agents.json: its key and header values, what its addresses carry along, and of each the
// part that a peer may repeat without what stands around it. Pure.

import { secretsOfUrl } from '../secrets/secret-values.js';

/** Headers whose value is a scheme and what it wants; of others only the schemes that are common. */
const AUTHORIZATION = /authorization$/i;
const ANY_SCHEME = /^[^\s]+ +(\S+)$/;
const COMMON_SCHEME = /^(?:basic|bearer|token|apikey) +(\S+)$/i;

/** Takes an entry as it was read, valid or not. */
export function secretsOfEntry(entry: unknown): string[] {
  const { key, headers, url, callbackUrl } = (entry ?? {}) as Record<string, unknown>;
  const named = typeof headers === 'object' && headers !== null ? Object.entries(headers) : [];
  const values = [
    ...(isText(key) ? [key, ...passwordOf(key)] : []),
    ...[url, callbackUrl].filter(isText).flatMap(secretsOfUrl),
    ...named.flatMap(([name, value]) => (isText(value) ? [value, ...innerOf(name, value)] : [])),
  ];
  return [...new Set(values.filter((value) => value !== ''))];
}

const isText = (value: unknown): value is string => typeof value === 'string';

function innerOf(name: string, value: string): string[] {
  if (/^cookie$/i.test(name)) return value.split(';').map((pair) => pair.slice(pair.indexOf('=') + 1).trim());
  const token = (AUTHORIZATION.test(name) ? ANY_SCHEME : COMMON_SCHEME).exec(value)?.[1];
  if (token === undefined) return [];
  if (!/^basic /i.test(value)) return [token];
  const pair = Buffer.from(token, 'base64').toString();
  return [token, pair, ...passwordOf(pair)];
}

/** Of `user:password`, as a key for Basic is written. */
function passwordOf(pair: string): string[] {
  const colon = pair.indexOf(':');
  return colon < 0 ? [] : [pair.slice(colon + 1)];
}
