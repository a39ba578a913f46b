// Which addresses are public, and which are those of private networks. Pure. Forms that carry an IPv4 address inside an
// IPv6 one are neither: what they lead to depends on the network.
import { BlockList, isIP } from 'node:net';

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

/** Where an operator's own machines are. Link-local is not among them: that is where clouds hand out credentials. */
const PRIVATE = [
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '::1',
  'fc00::/7',
];
/** Addresses inside private ranges at which clouds hand out credentials. */
const METADATA = ['100.100.100.200', '192.0.0.192', 'fd00:ec2::/32', 'fd20:ce::/32'];

const specialV4 = rangesOf(SPECIAL_V4);
const globalV6 = rangesOf([GLOBAL_V6]);
const specialV6 = rangesOf(SPECIAL_V6);
const privateNetworks = rangesOf(PRIVATE);
const metadata = rangesOf(METADATA);

/**
 * True for an address of the public Internet. False for whatever is no plain address, e.g. one with a zone, and for an
 * interface identifier that embeds an IPv4 address that is not public (ISATAP).
 */
export function isPublicAddress(address: string): boolean {
  switch (familyOf(address)) {
    case 4:
      return !specialV4.check(address, 'ipv4');
    case 6: {
      const inner = isatapAddress(address);
      const leadsInside = inner !== undefined && specialV4.check(inner, 'ipv4');
      return !leadsInside && globalV6.check(address, 'ipv6') && !specialV6.check(address, 'ipv6');
    }
    default:
      return false;
  }
}

/** True for an address where an operator's own machines may be: loopback, private and unique-local ranges. */
export function isPrivateAddress(address: string): boolean {
  const family = familyOf(address);
  if (family === 0) return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  // A block list takes a mapped address for the one it holds.
  if (family === 6 && /^::ffff:/i.test(plainV6(address))) return false;
  return privateNetworks.check(address, type) && !metadata.check(address, type);
}

/** A scoped address (`fe80::1%eth0`) counts as none: its zone means something on one host only. */
export function familyOf(address: string): 0 | 4 | 6 {
  return address.includes('%') ? 0 : (isIP(address) as 0 | 4 | 6);
}

/** `entries`: addresses and ranges (`address/bits`). */
export function rangesOf(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/');
    const family = familyOf(address) === 4 ? 'ipv4' : 'ipv6';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/** The shortest spelling, e.g. `::ffff:7f00:1`. */
const plainV6 = (address: string): string => new URL(`https://[${address}]/`).hostname.slice(1, -1);

/** The IPv4 address in an interface identifier `[02]00:5efe:a.b.c.d`. */
function isatapAddress(address: string): string | undefined {
  const [head = '', tail = ''] = plainV6(address).split('::');
  const front = head.split(':').filter(Boolean);
  const back = tail.split(':').filter(Boolean);
  const groups = [...front, ...Array<string>(8 - front.length - back.length).fill('0'), ...back];
  const [fourth, fifth, high, low] = groups.slice(4).map((group) => parseInt(group, 16)) as [
    number,
    number,
    number,
    number,
  ];
  if (fifth !== 0x5efe || (fourth & ~0x0200) !== 0) return undefined;
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
