// The HTTP client whose connections only go to addresses that were checked: the name is resolved once, here, and what
// passes is what gets dialled, so no second answer of a name service can slip in between.
import { isIP, type LookupFunction } from 'node:net';
import type { Agent } from 'undici';
import type { AddressRules, Protocol } from './address-rules.js';
import { FetchError } from './fetch-error.js';
import type { ResolveName } from './resolve-name.js';

export interface AgentLimits {
  /** Milliseconds each. */
  connectMs: number;
  headersMs: number;
  /** Between two pieces of a body. */
  idleBodyMs: number;
}

/** No redirects, no proxy from the environment, HTTP/1.1. The client's code is loaded here: most starts do without. */
export async function guardedAgent(rules: AddressRules, resolve: ResolveName, limits: AgentLimits): Promise<Agent> {
  const { Agent: HttpAgent, buildConnector } = await import('undici');
  const connectors = {
    'http:': buildConnector({ lookup: checkedLookup(rules, resolve, 'http:'), timeout: limits.connectMs }),
    'https:': buildConnector({ lookup: checkedLookup(rules, resolve, 'https:'), timeout: limits.connectMs }),
  };
  return new HttpAgent({
    connect(options, callback) {
      const protocol = options.protocol as Protocol;
      const host = bareHost(options.hostname);
      // An address in place of a name is never looked up.
      if (isIP(host) !== 0 && !rules.mayDial(protocol, host, host)) callback(new FetchError('not-allowed'), null);
      else connectors[protocol](options, callback);
    },
    headersTimeout: limits.headersMs,
    bodyTimeout: limits.idleBodyMs,
  });
}

/** `[::1]` → `::1`. */
export const bareHost = (hostname: string): string => hostname.replace(/^\[|\]$/g, '');

function checkedLookup(rules: AddressRules, resolve: ResolveName, protocol: Protocol): LookupFunction {
  return (host, options, callback) => {
    resolve(host).then(
      (addresses) => {
        const allowed = addresses.filter((address) => rules.mayDial(protocol, host, address));
        const wanted = allowed
          .map((address) => ({ address, family: isIP(address) }))
          .filter(({ family }) => !options.family || family === familyNumber(options.family));
        const [first] = wanted;
        if (!first) callback(new FetchError(addresses.length > 0 ? 'not-allowed' : 'unresolvable'), '', 0);
        else if (options.all) callback(null, wanted);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    );
  };
}

const familyNumber = (family: number | 'IPv4' | 'IPv6'): number =>
  family === 'IPv4' ? 4 : family === 'IPv6' ? 6 : family;
