// The answer of an agent that replies with one Message: it comes at the end of a task that its caller never sees, whether
// or not the caller asked for an immediate return.
import type { Message } from '../../../src/a2a-model.js';
import { settle } from '../../../src/executors/settle.js';
import { directReply } from '../../../src/ledger/direct-reply.js';
import type { Ledger } from '../../../src/ledger/ledger-port.js';
import type { Admitted } from './send-message.js';

export class DirectAnswer {
  private readonly hangUp = new AbortController();

  constructor(
    private readonly ledger: Pick<Ledger, 'follow' | 'get'>,
    private readonly admitted: Admitted,
  ) {}

  get seq(): number {
    return this.admitted.seq;
  }

  /** Undefined when nobody waits any more. Throws `storage-failed` when there will be none. */
  async message(): Promise<Message | undefined> {
    const { record, seq } = this.admitted;
    const { ledger } = this;
    const reply = directReply(record);
    if (reply) return reply.message;
    return directReply(await settle(record.task.id, { ledger, signal: this.hangUp.signal, afterSeq: seq }))?.message;
  }

  /** Ends the wait. */
  close(): void {
    this.hangUp.abort();
  }
}
