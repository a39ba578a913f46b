// The answer of an agent that replies with one Message: it comes at the end of a task that its caller never sees, whether
// or not the caller asked for an immediate return.
import type { Message } from '../../../src/a2a-model.js';
import { settle } from '../../../src/executors/settle.js';
import { directReply } from '../../../src/ledger/direct-reply.js';
import type { Ledger } from '../../../src/ledger/ledger-port.js';
import { acceptedMessage, type OutputModes } from './output-modes.js';
import type { Admitted } from './send-message.js';

export class DirectAnswer {
  private readonly hangUp = new AbortController();

  constructor(
    private readonly ledger: Pick<Ledger, 'follow' | 'get'>,
    private readonly admitted: Admitted,
    private readonly accepted: OutputModes,
  ) {}

  get seq(): number {
    return this.admitted.seq;
  }

  /** Undefined when nobody waits any more. Throws `storage-failed` when there will be none. */
  async message(): Promise<Message | undefined> {
    const { record, seq } = this.admitted;
    const { ledger } = this;
    const { signal } = this.hangUp;
    const reply = directReply(record) ?? directReply(await settle(record.task.id, { ledger, signal, afterSeq: seq }));
    // Why it failed is told in words, like in a task's status.
    return reply && (reply.failed ? reply.message : acceptedMessage(reply.message, this.accepted));
  }

  /** Ends the wait. */
  close(): void {
    this.hangUp.abort();
  }
}
