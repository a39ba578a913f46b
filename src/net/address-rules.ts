// Which addresses outbound HTTP may dial: public ones over https, private ones where whoever asked is trusted, and what
// the operator listed; both of these also over http. Pure.
import type { BlockList } from 'node:net';
import { plainHost } from './fetch-policy.js';
import { familyOf, isPrivateAddress, isPublicAddress, rangesOf } from './special-addresses.js';

export type Protocol = 'http:' | 'https:';

/** Where a request is to go. */
export interface Destination {
  protocol: Protocol;
  /** A name, or an address without brackets. */
  host: string;
  port: number;
}

/** `a.b.c.d/n` or an IPv6 range. */
export function isAddressRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = familyOf(address);
  return family !== 0 && rest.length === 0 && /^\d{1,3}$/.test(bits ?? '') && Number(bits) <= (family === 4 ? 32 : 128);
}

/**
 * True for what a list of allowed private targets may hold: `*`, an address, a range, or a host's name; a name or an
 * address also with a port (`build.example:8080`, `10.0.0.5:80`, `[::1]:80`).
 */
export function isAllowEntry(text: string): boolean {
  if (text === '*' || familyOf(text) !== 0 || isAddressRange(text)) return true;
  const { host, port } = splitPort(text);
  return (port === undefined || port <= 65_535) && (isHostName(host) || (port !== undefined && familyOf(host) !== 0));
}

interface Listed {
  hosts: Set<string>;
  addresses: string[];
}

/** What is allowed at one port, or at any. */
interface Allowed {
  hosts: ReadonlySet<string>;
  ranges: BlockList;
}

export class AddressRules {
  private readonly anything: boolean;
  private readonly atAnyPort: Allowed;
  private readonly atPort: ReadonlyMap<number, Allowed>;
  /** The ports at which addresses are listed; `undefined` among them stands for any port. */
  private readonly addressPorts: ReadonlySet<number | undefined>;

  /** `allowed`: entries as `isAllowEntry` takes them; others are ignored. */
  constructor(allowed: readonly string[]) {
    this.anything = allowed.includes('*');
    const lists = new Map<number | undefined, Listed>([[undefined, { hosts: new Set(), addresses: [] }]]);
    for (const entry of allowed.filter((text) => text !== '*' && isAllowEntry(text))) {
      const whole = familyOf(entry) !== 0 || isAddressRange(entry);
      const { host, port } = whole ? { host: entry, port: undefined } : splitPort(entry);
      const list = lists.get(port) ?? { hosts: new Set<string>(), addresses: [] };
      lists.set(port, list);
      if (whole || familyOf(host) !== 0) list.addresses.push(host);
      else list.hosts.add(plainHost(host));
    }
    const compiled = new Map(
      [...lists].map(([port, { hosts, addresses }]) => [port, { hosts, ranges: rangesOf(addresses) }]),
    );
    this.atAnyPort = compiled.get(undefined) as Allowed;
    compiled.delete(undefined);
    this.atPort = compiled as Map<number, Allowed>;
    this.addressPorts = new Set([...lists].flatMap(([port, { addresses }]) => (addresses.length > 0 ? [port] : [])));
  }

  /** True when the operator listed this name: it may be reached wherever it leads, also over http. */
  allowsHost(host: string, port: number): boolean {
    const name = plainHost(host);
    return this.anything || this.atAnyPort.hosts.has(name) || this.atPort.get(port)?.hosts.has(name) === true;
  }

  /** True when addresses are listed for this port, so that a name can only be judged once it is resolved. */
  listsAddresses(port: number): boolean {
    return this.addressPorts.has(undefined) || this.addressPorts.has(port);
  }

  /** The port where it makes a difference, else 0: what is dialled with equal ones is judged equally. */
  portClass(port: number): number {
    return this.atPort.has(port) ? port : 0;
  }

  /** True when the destination may be reached at `address` (itself, or what its name was resolved to). */
  mayDial({ protocol, host, port }: Destination, address: string, trusted: boolean): boolean {
    const family = familyOf(address);
    if (family === 0) return false;
    const type = family === 4 ? 'ipv4' : 'ipv6';
    if (this.allowsHost(host, port) || this.atAnyPort.ranges.check(address, type)) return true;
    if (this.atPort.get(port)?.ranges.check(address, type)) return true;
    return (protocol === 'https:' && isPublicAddress(address)) || (trusted && isPrivateAddress(address));
  }
}

/** Names that lead to private addresses wherever they are resolved at all: special-use domains and single labels. */
export function isPrivateName(host: string): boolean {
  const name = plainHost(host);
  return !name.includes('.') || /\.(?:localhost|local|localdomain|internal|intranet|lan|home\.arpa)$/.test(name);
}

/** The last label of a name holds a letter; a URL would read anything else as an address. */
const isHostName = (text: string): boolean =>
  text.length <= 253 && /^(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)*[a-z0-9-]*[a-z][a-z0-9-]*\.?$/i.test(text);

function splitPort(text: string): { host: string; port?: number } {
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d{1,5})$/.exec(text) ?? [];
  return port === undefined ? { host: text } : { host: bracketed ?? plain ?? '', port: Number(port) };
}
