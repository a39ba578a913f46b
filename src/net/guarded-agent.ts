// The HTTP client whose connections only go to addresses that were checked: the name is resolved once, here, and what
// passes is what gets dialled, so no second answer of a name service can slip in between. One client never holds
// connections of two degrees of trust, so an open one is as good for a request as a new one.
import { isIP, type LookupFunction } from 'node:net';
import type { Agent, buildConnector as BuildConnector } from 'undici';
import type { AddressRules, Destination, Protocol } from './address-rules.js';
import { FetchError } from './fetch-error.js';
import { bareHost } from './read-target.js';
import type { ResolveName } from './resolve-name.js';

interface AgentRules {
  rules: AddressRules;
  resolve: ResolveName;
  trusted: boolean;
  /** Milliseconds. */
  connectMs: number;
}

/** No redirects, no proxy from the environment, HTTP/1.1. The client's code is loaded here: most starts do without. */
export async function guardedAgent(options: AgentRules): Promise<Agent> {
  const { Agent: HttpAgent, buildConnector } = await import('undici');
  const { rules, trusted, connectMs } = options;
  const connectors = new Map<string, BuildConnector.connector>();
  const connectorFor = ({ protocol, port }: Destination): BuildConnector.connector => {
    const key = `${protocol}${rules.portClass(port)}`;
    const known = connectors.get(key);
    if (known) return known;
    const lookup = checkedLookup(options, protocol, port);
    // Certificates are verified whatever the environment says.
    const made = buildConnector({ lookup, timeout: connectMs, rejectUnauthorized: true });
    connectors.set(key, made);
    return made;
  };
  return new HttpAgent({
    connect(request, callback) {
      const protocol = request.protocol as Protocol;
      const host = bareHost(request.hostname);
      const destination = { protocol, host, port: Number(request.port || (protocol === 'https:' ? 443 : 80)) };
      // An address in place of a name is never looked up.
      if (isIP(host) !== 0 && !rules.mayDial(destination, host, trusted)) callback(new FetchError('not-allowed'), null);
      else connectorFor(destination)(request, callback);
    },
  });
}

/** The addresses of a name that may be dialled. Throws FetchError; a name service's error as it is. */
export async function checkedAddresses(
  { rules, resolve, trusted }: Omit<AgentRules, 'connectMs'>,
  destination: Destination,
): Promise<string[]> {
  const { host } = destination;
  const addresses = isIP(host) === 0 ? await resolve(host) : [host];
  if (addresses.length === 0) throw new FetchError('unresolvable');
  const allowed = addresses.filter((address) => rules.mayDial(destination, address, trusted));
  if (allowed.length === 0) throw new FetchError('not-allowed');
  return allowed;
}

function checkedLookup(options: AgentRules, protocol: Protocol, port: number): LookupFunction {
  return (host, { family, all }, callback) => {
    checkedAddresses(options, { protocol, host, port }).then(
      (addresses) => {
        const wanted = addresses
          .map((address) => ({ address, family: isIP(address) }))
          .filter((entry) => !family || entry.family === familyNumber(family));
        const [first] = wanted;
        if (!first) callback(new FetchError('not-allowed'), '', 0);
        else if (all) callback(null, wanted);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    );
  };
}

const familyNumber = (family: number | 'IPv4' | 'IPv6'): number =>
  family === 'IPv4' ? 4 : family === 'IPv6' ? 6 : family;
