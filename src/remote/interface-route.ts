// Where a request for an interface really goes, and whether the key goes with it: the address that the owner configured
// wins over what a card says of itself, and only its origin ever gets the key. Pure.
import { isIP } from 'node:net';
import type { PeerInterface } from './peer-card.js';
import { parseUrl } from '../net/parse-url.js';

export interface Route {
  /** For gRPC: `http:` or `https:`, host and port. */
  url: string;
  /** True for the configured origin; for gRPC, which has a port of its own, for the configured host. */
  withKey: boolean;
  /** True for the configured host: it may be a private one. */
  trusted: boolean;
}

/** Names that mean "this machine", and addresses that mean "any": never true where another machine reads the card. */
const isLocal = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || host.startsWith('127.') || host === '[::1]';
const isNowhere = (host: string): boolean => host === '0.0.0.0' || host === '[::]';

/** The route; undefined for an address that is none. */
export function routeOf(
  { url, binding }: Pick<PeerInterface, 'url' | 'binding'>,
  configured: string,
): Route | undefined {
  const own = new URL(configured);
  const named = parse(url, binding, own);
  if (!named || !/^https?:$/.test(named.protocol) || named.username !== '' || named.password !== '') return undefined;
  named.hash = '';
  const mistaken = isNowhere(named.hostname) || (isLocal(named.hostname) && !isLocal(own.hostname));
  if (binding === 'GRPC') {
    if (mistaken) named.hostname = own.hostname;
    const same = named.hostname === own.hostname;
    // Never less protected than the configured address.
    if (same && own.protocol === 'https:' && named.protocol === 'http:') return undefined;
    return { url: named.origin, withKey: same, trusted: same };
  }
  // A server behind a proxy that ends TLS often takes itself for an http one.
  const behindTls =
    named.hostname === own.hostname &&
    own.protocol === 'https:' &&
    named.protocol === 'http:' &&
    (named.port === '' || named.port === own.port);
  if (mistaken || behindTls) {
    named.protocol = own.protocol;
    named.host = own.host;
    // `host` without a port keeps the old one.
    named.port = own.port;
  }
  return {
    url: named.href,
    withKey: named.origin === own.origin,
    trusted: named.hostname === own.hostname,
  };
}

/** gRPC addresses are `host:port`; whether they are protected, the configured address tells. */
function parse(url: string, binding: PeerInterface['binding'], own: URL): URL | undefined {
  const address =
    binding === 'GRPC' && !/^https?:\/\//i.test(url)
      ? `${own.protocol}//${url.replace(/^(dns|grpcs?):\/*/i, '')}`
      : url;
  const parsed = parseUrl(address);
  // Without brackets, a colon separates the port: an address that was meant as IPv6 is no host.
  return !parsed || parsed.hostname === '' || (isIP(parsed.hostname) === 6 && !parsed.hostname.startsWith('['))
    ? undefined
    : parsed;
}
