// Gives a remote task that waits for an authorization what its caller has said here meanwhile, each message once.
import type { TaskRecord } from '../../../src/ledger/records.js';
import type { Core } from '../../../src/plugin.js';
import { furtherMessage } from '../../../src/remote/outgoing-message.js';
import { RemoteError } from '../../../src/remote/remote-error.js';
import type { Peer } from '../../../src/remote/remote-port.js';

/** A peer that answers only when its work is over has the message all the same. */
const ANSWER_MS = 30_000;

interface Passing {
  signal: AbortSignal;
  /** Tells the caller. */
  status(text: string): void;
}

/**
 * A message that the peer refuses is told through `status` and not tried again. Throws RemoteError when the peer can't be
 * reached.
 */
export async function passOn(
  { task, envelope }: TaskRecord,
  peer: Peer,
  { ledger, blobs }: Pick<Core, 'ledger' | 'blobs'>,
  { signal, status }: Passing,
): Promise<void> {
  const { watch, remote, turn, caller } = envelope;
  if (!watch || !remote) return;
  const spoken = task.history.filter(({ role }) => role === 'ROLE_USER');
  const passed = spoken.findIndex(({ messageId }) => messageId === watch.passed);
  for (const message of spoken.slice(passed + 1)) {
    try {
      // A name of its own at the peer, since two callers here may use the same.
      const renamed = { ...message, messageId: `${task.id}-${message.messageId}` };
      const request = furtherMessage(renamed, remote, caller.scope, blobs);
      await peer.send(request, { signal, timeoutMs: ANSWER_MS });
    } catch (error) {
      if (!(error instanceof RemoteError)) throw error;
      const taken = error.fault === 'timeout' && error.sent;
      if (error.fault === 'refused' || error.fault === 'unsupported') {
        status(`Your message was not taken: ${error.message}`);
      } else if (!taken) throw error;
    }
    await ledger.watches.update(task.id, turn, { watch: { passed: message.messageId } });
  }
}
