// The address under which a server is reached from its own machine: "all interfaces" is no address that can be dialled,
// and nobody is helped by a card that names it.

import { isIP } from 'node:net';

/** Where a machine finds itself when it listens everywhere. */
export const LOOPBACK: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

export const listensEverywhere = (address: string): boolean => address in LOOPBACK;

/** True for a host that is this machine whoever asks; an IPv6 address may stand in brackets. Lower case. */
export function isLoopbackName(name: string): boolean {
  if (name === 'localhost' || name.endsWith('.localhost')) return true;
  const bare = name.replace(/^\[|\]$/g, '');
  return bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'));
}

/** An `http` URL without trailing slash; `address` is a host name or an IP address without brackets. */
export function localUrl(address: string, port: number): string {
  const host = LOOPBACK[address] ?? address;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
