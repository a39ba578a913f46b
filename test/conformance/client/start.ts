// A peer with a card of the test's own, and the client connected to it.
import type { Peer, RemoteMessage } from '../../../src/remote/remote-port.js';
import type { RemoteAgent } from '../../../src/workspace/remote-agent-files.js';
import { MisbehavingPeer, type Json } from '../../support/peers/misbehaving-peer.js';
import { closeAfter, RemoteHome } from '../../support/remote-home.js';

export const KEY = 'planted-key-of-the-peer';

export const text = (words: string): RemoteMessage => ({
  messageId: `m-${words}`,
  role: 'ROLE_USER',
  parts: [{ text: words }],
});

/** Addresses in the card that begin with a slash are the peer's own. */
export async function peerWith(
  card: Json,
  entry: Partial<RemoteAgent> = {},
): Promise<{ peer: MisbehavingPeer; remote: Peer; home: RemoteHome }> {
  const peer = closeAfter(await new MisbehavingPeer().start());
  peer.card = absolute(card, peer.url) as Json;
  const home = new RemoteHome();
  return { peer, remote: await home.connect({ url: peer.url, ...entry }), home };
}

function absolute(value: unknown, base: string): unknown {
  if (Array.isArray(value)) return value.map((one) => absolute(one, base));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const own = name === 'url' && typeof member === 'string' && member.startsWith('/');
      return [name, own ? `${base}${member}` : absolute(member, base)];
    }),
  );
}
