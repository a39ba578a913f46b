// Why a call to a remote agent did not work, in words that its user may read: the fault says what to do about it.
import type { RemoteFault } from './remote-port.js';

interface RemoteErrorDetails {
  /**
   * The peer's own reason where it gave one, e.g. `TASK_NOT_CANCELABLE`, or `HTTP_502`; what is decided is decided by
   * fault and code, never by the message.
   */
  code?: string;
  cause?: unknown;
}

export class RemoteError extends Error {
  override readonly name = 'RemoteError';
  readonly code?: string;

  constructor(
    readonly fault: RemoteFault,
    /** Readable, and free of secrets. */
    message: string,
    /** False only when it is certain that the peer has not received the request. */
    readonly sent = true,
    { code, cause }: RemoteErrorDetails = {},
  ) {
    super(message, cause === undefined ? {} : { cause });
    if (code !== undefined) this.code = code;
  }
}
