// What a URL by itself says about where a request would go, and what speaks against it. Pure.
import { isIP } from 'node:net';
import { isPrivateName, type AddressRules, type Destination, type Protocol } from './address-rules.js';
import { parseUrl } from './parse-url.js';
import { trusts, type FetchPolicy } from './fetch-policy.js';

export interface Target extends Destination {
  /** True when the policy's trust covers the host. */
  trusted: boolean;
  origin: string;
  /** With the query. */
  path: string;
}

export const PRIVATE = 'must not lead to a private address';
const NOT_ABSOLUTE = 'must be an absolute https URL';
const HTTPS_ONLY = 'must be an https URL';

/** The URL's parts, or what is wrong with it, as the end of a sentence about it. */
export function readTarget(rules: AddressRules, policy: FetchPolicy, url: string): Target | string {
  const parsed = parseUrl(url);
  const protocol = parsed?.protocol;
  if (!parsed || !isProtocol(protocol)) return NOT_ABSOLUTE;
  if (parsed.username !== '' || parsed.password !== '') return 'must not hold a user or a password';
  const host = bareHost(parsed.hostname);
  if (!isIP(host) && !isPlainName(host)) return NOT_ABSOLUTE;
  const port = Number(parsed.port || (protocol === 'https:' ? 443 : 80));
  const target: Target = {
    protocol,
    host,
    port,
    trusted: trusts(policy, host),
    origin: parsed.origin,
    path: parsed.pathname + parsed.search,
  };
  const problem = isIP(host) === 0 ? nameProblem(rules, target) : addressesProblem(rules, target, [host]);
  return problem ?? target;
}

/** What is wrong with a target that leads to these addresses; undefined when one of them may be dialled. */
export function addressesProblem(
  rules: AddressRules,
  target: Target,
  addresses: readonly string[],
): string | undefined {
  const usable = (protocol: Protocol): boolean =>
    addresses.some((address) => rules.mayDial({ ...target, protocol }, address, target.trusted));
  if (usable(target.protocol)) return undefined;
  return usable('https:') ? HTTPS_ONLY : PRIVATE;
}

/** A name can only be judged before it is resolved where no address could make it good. */
function nameProblem(rules: AddressRules, { protocol, host, port, trusted }: Target): string | undefined {
  if (trusted || rules.allowsHost(host, port) || rules.listsAddresses(port)) return undefined;
  if (isPrivateName(host)) return PRIVATE;
  return protocol === 'http:' ? HTTPS_ONLY : undefined;
}

/** `[::1]` → `::1`. */
export const bareHost = (hostname: string): string => hostname.replace(/^\[|\]$/g, '');

/** `127.0.0.1..` is none: a resolver might take it for an address. */
const isPlainName = (host: string): boolean => host.length <= 254 && !/^\.|\.\./.test(host);

const isProtocol = (text: string | undefined): text is Protocol => text === 'http:' || text === 'https:';
