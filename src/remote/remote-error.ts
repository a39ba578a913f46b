// Why a call to a remote agent did not work, in words that its user may read: the fault says what to do about it.
import type { RemoteFault } from './remote-port.js';

export class RemoteError extends Error {
  override readonly name = 'RemoteError';
  constructor(
    readonly fault: RemoteFault,
    /** Readable, and free of secrets. */
    message: string,
    /** False only when it is certain that the peer has not received the request. */
    readonly sent = true,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
