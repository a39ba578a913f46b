// Under which names and from which pages the operator's surface may be used, so that a web page that makes its own name
// point here (DNS rebinding) gets nothing: on a loopback address only names that nobody else can own count.
import { isIP } from 'node:net';
import type { Config } from '../config.js';
import { AppError } from '../errors.js';
import { parseUrl } from '../net/parse-url.js';
import { isLoopbackName } from './local-url.js';

interface Addressed {
  /** The Host header as the connection brought it. */
  host: string | undefined;
  /** The host as trusted proxies tell it; equal to `host` without one. */
  forwarded: string | undefined;
  origin: string | undefined;
}

type Settings = Pick<Config, 'host' | 'publicUrl' | 'operatorHosts' | 'corsOrigins'>;

/** Tells why a request is not for this operator's surface: AppError `forbidden`. */
export function hostCheck(settings: Settings): (asked: Addressed) => AppError | undefined {
  const { publicUrl, corsOrigins } = settings;
  const own = publicUrl === undefined ? undefined : new URL(publicUrl);
  const named = new Set(settings.operatorHosts);
  if (own) named.add(own.hostname);
  const open = !isLoopbackName(settings.host);
  const isOurs = (host: string | undefined): boolean => {
    const name = hostName(host);
    if (name === undefined) return false;
    if (isLoopbackName(name) || named.has(name) || name === settings.host.toLowerCase()) return true;
    // An address can't be rebound. And who listens to the network without naming a host may be reached under any name.
    return open && (isAddress(name) || named.size === 0);
  };
  const mayCall = (origin: string, host: string | undefined): boolean => {
    if (corsOrigins.includes('*') || corsOrigins.includes(origin)) return true;
    return origin === own?.origin || (host !== undefined && parseUrl(origin)?.host === host.toLowerCase());
  };
  return ({ host, forwarded, origin }) => {
    // Both: a page behind a rebound name can write the forwarded one itself.
    if (!isOurs(host) || !isOurs(forwarded)) {
      return new AppError('forbidden', 'The operator surface is not served under this host name.');
    }
    if (origin === undefined || mayCall(origin, host) || mayCall(origin, forwarded)) return undefined;
    return new AppError('forbidden', 'The operator surface does not answer pages of this origin.');
  };
}

/** Without port, lower case; undefined for what is no host. */
function hostName(host: string | undefined): string | undefined {
  const name = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d*)?$/.exec(host?.toLowerCase() ?? '')?.[1];
  return name?.replace(/(.)\.$/, '$1');
}

const isAddress = (name: string): boolean => isIP(name.replace(/^\[|\]$/g, '')) !== 0;
