// Which addresses outbound HTTP may dial: public ones over https, and what the operator listed, also over http. Pure.
// Forms that carry an IPv4 address inside an IPv6 one are never public: what they lead to depends on the network.
import { BlockList, isIP } from 'node:net';

export type Protocol = 'http:' | 'https:';

/** IPv4 ranges that are not part of the public Internet (IANA's special-purpose registry, multicast, reserved). */
const SPECIAL_V4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared by carriers (CGNAT)
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, cloud metadata included
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
];

/** All that is public of IPv6 lies in here, and everything else stays out: loopback, mapped, NAT64, local, multicast. */
const GLOBAL_V6 = '2000::/3';
const SPECIAL_V6 = [
  '2001::/23', // protocol assignments: Teredo, benchmarking, ORCHID
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '3fff::/20', // documentation
];

const specialV4 = rangesOf(SPECIAL_V4);
const globalV6 = rangesOf([GLOBAL_V6]);
const specialV6 = rangesOf(SPECIAL_V6);

/** True for an address of the public Internet. False for whatever is no plain address, e.g. one with a zone. */
export function isPublicAddress(address: string): boolean {
  switch (familyOf(address)) {
    case 4:
      return !specialV4.check(address, 'ipv4');
    case 6:
      return globalV6.check(address, 'ipv6') && !specialV6.check(address, 'ipv6');
    default:
      return false;
  }
}

/** `a.b.c.d/n` or an IPv6 range. */
export function isAddressRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = familyOf(address);
  return family !== 0 && rest.length === 0 && /^\d{1,3}$/.test(bits ?? '') && Number(bits) <= (family === 4 ? 32 : 128);
}

/** True for what a list of allowed private targets may hold: `*`, an address, a range, or a host's name. */
export const isAllowEntry = (text: string): boolean =>
  text === '*' || familyOf(text) !== 0 || isAddressRange(text) || isHostName(text);

export class AddressRules {
  private readonly anything: boolean;
  private readonly hosts: ReadonlySet<string>;
  private readonly ranges: BlockList;
  /** True when addresses are listed, so that a name can only be judged once it is resolved. */
  readonly listsAddresses: boolean;

  /** `allowed`: entries as `isAllowEntry` takes them; others are ignored. */
  constructor(allowed: readonly string[]) {
    const addresses = allowed.filter((entry) => familyOf(entry) !== 0 || isAddressRange(entry));
    this.anything = allowed.includes('*');
    this.hosts = new Set(allowed.filter(isHostName).map(plainHost));
    this.ranges = rangesOf(addresses);
    this.listsAddresses = addresses.length > 0;
  }

  /** True when the operator listed this name: it may be reached wherever it leads, also over http. */
  allowsHost(host: string): boolean {
    return this.anything || this.hosts.has(plainHost(host));
  }

  /** True when `host` (a name, or the address itself) may be reached at `address` with this protocol. */
  mayDial(protocol: Protocol, host: string, address: string): boolean {
    const family = familyOf(address);
    if (family === 0) return false;
    if (this.allowsHost(host) || this.ranges.check(address, family === 4 ? 'ipv4' : 'ipv6')) return true;
    return protocol === 'https:' && isPublicAddress(address);
  }
}

/** A scoped address (`fe80::1%eth0`) counts as none: its zone means something on one host only. */
function familyOf(address: string): 0 | 4 | 6 {
  return address.includes('%') ? 0 : (isIP(address) as 0 | 4 | 6);
}

/** The last label of a name holds a letter; a URL would read anything else as an address. */
const isHostName = (text: string): boolean =>
  text.length <= 253 && /^(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)*[a-z0-9-]*[a-z][a-z0-9-]*\.?$/i.test(text);

const plainHost = (host: string): string => host.toLowerCase().replace(/\.$/, '');

function rangesOf(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/');
    const family = familyOf(address) === 4 ? 'ipv4' : 'ipv6';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}
