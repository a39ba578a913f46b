import { AddressRules, isAllowEntry } from '../../src/net/address-rules.js';
import { isPublicAddress } from '../../src/net/special-addresses.js';

/** The host as a URL hands it on, which is where odd spellings of addresses become plain ones. */
const hostOf = (host: string): string => new URL(`https://${host}/`).hostname.replace(/^\[|\]$/g, '');

describe('an address is public', () => {
  it.each(['1.1.1.1', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '172.15.0.1', '172.32.0.1'])(
    'when it lies just outside the special ranges (%s)',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );
  it.each(['2606:4700:4700::1111', '2a00:1450::1', '2003::1', '2001:4860:4860::8888'])(
    'when it is a global one of IPv6 (%s)',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );
});

describe('an address is not public', () => {
  it.each([
    ['0.0.0.0', 'this network'],
    ['0.1.2.3', 'this network'],
    ['10.0.0.1', 'private'],
    ['100.64.0.1', 'carrier-grade NAT'],
    ['100.127.255.255', 'carrier-grade NAT'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['169.254.169.254', 'link-local'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.0.0.8', 'protocol assignments'],
    ['192.0.2.1', 'documentation'],
    ['192.88.99.1', '6to4 relay'],
    ['192.168.1.1', 'private'],
    ['198.18.0.1', 'benchmarking'],
    ['198.19.255.255', 'benchmarking'],
    ['198.51.100.7', 'documentation'],
    ['203.0.113.7', 'documentation'],
    ['224.0.0.1', 'multicast'],
    ['239.255.255.255', 'multicast'],
    ['240.0.0.1', 'reserved'],
    ['255.255.255.255', 'broadcast'],
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['::ffff:127.0.0.1', 'mapped'],
    ['::ffff:8.8.8.8', 'mapped, though the inner one is public'],
    ['::ffff:a9fe:a9fe', 'mapped'],
    ['::127.0.0.1', 'compatible'],
    ['::ffff:0:127.0.0.1', 'translated'],
    ['64:ff9b::7f00:1', 'NAT64'],
    ['64:ff9b:1::a00:1', 'local NAT64'],
    ['2002:7f00:1::', '6to4'],
    ['2001::1', 'Teredo'],
    ['2001:2::1', 'benchmarking'],
    ['2001:20::1', 'ORCHID'],
    ['2001:db8::1', 'documentation'],
    ['3fff::1', 'documentation'],
    ['100::1', 'discard'],
    ['5f00::1', 'segment routing'],
    ['fc00::1', 'unique-local'],
    ['fdff::1', 'unique-local'],
    ['fe80::1', 'link-local'],
    ['fe80::1%eth0', 'with a zone'],
    ['fec0::1', 'site-local'],
    ['ff02::1', 'multicast'],
    ['example.org', 'no address'],
    ['127.1', 'no plain address'],
    ['', 'nothing'],
  ])('%s (%s)', (address) => expect(isPublicAddress(address)).toBe(false));

  it.each([
    ['2130706433', '127.0.0.1'],
    ['017700000001', '127.0.0.1'],
    ['0x7f000001', '127.0.0.1'],
    ['0x7f.1', '127.0.0.1'],
    ['127.1', '127.0.0.1'],
    ['127.0.1', '127.0.0.1'],
    ['0177.0.0.01', '127.0.0.1'],
    ['0', '0.0.0.0'],
    ['10.1', '10.0.0.1'],
    ['0xA9FEA9FE', '169.254.169.254'],
    ['127.0.0.1.', '127.0.0.1'],
    ['%31%32%37.0.0.1', '127.0.0.1'],
    ['１２７.０.０.１', '127.0.0.1'],
    ['[::ffff:127.0.0.1]', '::ffff:7f00:1'],
    ['[0:0:0:0:0:ffff:10.0.0.1]', '::ffff:a00:1'],
    ['[::127.0.0.1]', '::7f00:1'],
  ])('spelt %s in a URL', (spelling, address) => {
    expect(hostOf(spelling)).toBe(address);
    expect(isPublicAddress(hostOf(spelling))).toBe(false);
  });
});

describe('what the operator allowed', () => {
  const rules = new AddressRules(['10.1.0.0/16', '127.0.0.1', 'fd00::/8', 'Build.Example.', 'localhost']);

  it.each([
    ['https:', 'a.example', '1.1.1.1', true],
    ['http:', 'a.example', '1.1.1.1', false],
    ['http:', 'a.example', '10.1.2.3', true],
    ['https:', 'a.example', '10.2.0.1', false],
    ['http:', '127.0.0.1', '127.0.0.1', true],
    ['http:', '127.0.0.1', '::ffff:127.0.0.1', true],
    ['https:', '127.0.0.2', '127.0.0.2', false],
    ['http:', 'x.example', 'fd12::1', true],
    ['https:', 'x.example', 'fc12::1', false],
    ['http:', 'build.example', '192.168.7.7', true],
    ['http:', 'BUILD.example.', '1.1.1.1', true],
    ['https:', 'sub.build.example', '192.168.7.7', false],
    ['http:', 'build.example', 'fe80::1%lo', false],
  ] as const)('%s//%s at %s: %j', (protocol, host, address, allowed) => {
    expect(rules.mayDial({ protocol, host, port: 8080 }, address, false)).toBe(allowed);
  });

  it('is everything with *, and nothing private by default', () => {
    expect(
      new AddressRules(['*']).mayDial({ protocol: 'http:', host: 'a.example', port: 443 }, '127.0.0.1', false),
    ).toBe(true);
    expect(new AddressRules([]).mayDial({ protocol: 'https:', host: 'a.example', port: 443 }, '127.0.0.1', false)).toBe(
      false,
    );
    expect(new AddressRules(['*']).allowsHost('anything', 80)).toBe(true);
  });

  it.each([
    '*',
    '10.0.0.0/8',
    '::1',
    'fd00::/8',
    'localhost',
    'h:80',
    '10.0.0.5:8080',
    '[::1]:80',
    'a-b.example',
    'xn--bcher-kva.example',
  ])('may be written as %s', (entry) => expect(isAllowEntry(entry)).toBe(true));
  it.each([
    '',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0',
    '1.2.3.4.5',
    '*.example',
    'https://a.example',
    'a b',
    'a.1',
    'h:80x',
    'h:99999',
    '10.0.0.0/8:80',
    '::1:80:',
    '[h]:80/',
  ])('may not be written as %j', (entry) => expect(isAllowEntry(entry)).toBe(false));
});

describe('an entry with a port', () => {
  const rules = new AddressRules(['build.example:8080', '10.0.0.5:8080', '[fd00::1]:80']);

  it.each([
    ['build.example', 8080, '192.168.1.1', true],
    ['build.example', 80, '192.168.1.1', false],
    ['10.0.0.5', 8080, '10.0.0.5', true],
    ['10.0.0.5', 80, '10.0.0.5', false],
    ['name.example', 8080, '10.0.0.5', true],
    ['name.example', 8080, '10.0.0.6', false],
    ['name.example', 80, 'fd00::1', true],
    ['name.example', 81, 'fd00::1', false],
  ])('opens that port alone: %s:%i at %s: %j', (host, port, address, allowed) => {
    expect(rules.mayDial({ protocol: 'http:', host, port }, address, false)).toBe(allowed);
  });
});
