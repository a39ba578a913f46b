// The answer of an agent that replies with one Message: it comes at the end of a task that its caller never sees, whether
// or not the caller asked for an immediate return.
import type { Message } from '../../../src/a2a-model.js';
import { AppError } from '../../../src/errors.js';
import { settle } from '../../../src/executors/settle.js';
import { directReply } from '../../../src/ledger/direct-reply.js';
import type { TaskRecord } from '../../../src/ledger/records.js';
import type { Ledger } from '../../../src/ledger/ledger-port.js';
import { acceptedMessage, type OutputModes } from './output-modes.js';
import type { Admitted } from './send-message.js';

export class DirectAnswer {
  /** What `message` throws when there will be none since the task could not be stored. */
  failure: unknown;
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
    const reply = directReply(record) ?? directReply(await this.settled(record.task.id, seq));
    // Why it failed is told in words, like in a task's status.
    return reply && (reply.failed ? reply.message : acceptedMessage(reply.message, this.accepted));
  }

  private async settled(taskId: string, afterSeq: number): Promise<TaskRecord> {
    const { ledger, hangUp } = this;
    try {
      return await settle(taskId, { ledger, signal: hangUp.signal, afterSeq });
    } catch (error) {
      if (error instanceof AppError) this.failure = error;
      throw error;
    }
  }

  /** Ends the wait. */
  close(): void {
    this.hangUp.abort();
  }
}
