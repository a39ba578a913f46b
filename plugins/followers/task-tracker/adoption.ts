// A message was about to be sent when the process or the connection ended: finds out whether it arrived, and sends it
// again only where that does no harm.
import type { Part } from '../../../src/a2a-model.js';
import type { Prompt } from '../../../src/executors/contract.js';
import type { TaskRecord } from '../../../src/ledger/records.js';
import type { Core } from '../../../src/plugin.js';
import { findByMessage } from '../../../src/remote/find-by-message.js';
import { continued, outgoingMessage } from '../../../src/remote/outgoing-message.js';
import type { CallOptions, Peer, RemoteMessage } from '../../../src/remote/remote-port.js';
import { ended, type End } from './endings.js';

type Ports = Pick<Core, 'ledger' | 'hops' | 'blobs'> & {
  keep(parts: RemoteMessage['parts']): Promise<Part[]>;
};

/** Undefined when the remote task is known from now on. Throws RemoteError while the peer can't be asked. */
export async function adopt(
  { task, envelope }: TaskRecord,
  prompt: Prompt,
  peer: Peer,
  ports: Ports,
  options: CallOptions,
): Promise<End | undefined> {
  const { watch, remote, turn } = envelope;
  if (!watch) return undefined;
  const follow = async ({ id: taskId, contextId }: { id: string; contextId: string }): Promise<undefined> => {
    await ports.ledger.watches.update(task.id, turn, {
      watch: { state: 'following' },
      remote: continued(remote, { agent: watch.agent, taskId, contextId }),
    });
  };
  const found = await findByMessage(peer, watch.messageId, remote?.contextId, {
    ...(options.signal && { signal: options.signal }),
  });
  if (found) return follow(found);
  if (!peer.idempotent) {
    const text = `It is unknown whether ${watch.agent} started: the connection ended while the message was being sent.`;
    return ended('lost', text);
  }
  const result = await peer.send(outgoingMessage(prompt, watch.messageId, remote, ports), options);
  if ('task' in result) return follow(result.task);
  return { end: 'result', outcome: { kind: 'completed', parts: await ports.keep(result.message.parts) } };
}
