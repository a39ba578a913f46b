// The address under which a server is reached from its own machine: "all interfaces" is no address that can be dialled,
// and nobody is helped by a card that names it.

/** Where a machine finds itself when it listens everywhere. */
export const LOOPBACK: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

export const listensEverywhere = (address: string): boolean => address in LOOPBACK;

/** An `http` URL without trailing slash; `address` is a host name or an IP address without brackets. */
export function localUrl(address: string, port: number): string {
  const host = LOOPBACK[address] ?? address;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
