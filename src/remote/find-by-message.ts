// Which task a message began at a peer, for whoever sent it and has had no answer.
import type { CallOptions, Peer, RemoteTask } from './remote-port.js';

/** Undefined when the peer lists none, or offers no lists. Throws RemoteError. */
export async function findByMessage(
  peer: Pick<Peer, 'offers' | 'list'>,
  messageId: string,
  contextId: string | undefined,
  options: CallOptions = {},
): Promise<RemoteTask | undefined> {
  if (!peer.offers.list) return undefined;
  const tasks = await peer.list({ ...(contextId !== undefined && { contextId }) }, options);
  return tasks.find(({ history }) => history.some((message) => message.messageId === messageId));
}
