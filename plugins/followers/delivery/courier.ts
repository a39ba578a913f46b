// One reply at a time for each task. At least once: a reply counts as told when the prompt that tells it is committed, and
// that prompt's messageId follows from what it tells, so that telling it again after a crash finds the first one.
import type { WatchDelivered } from '../../../src/bus/topics.js';
import { errorText } from '../../../src/errors.js';
import { deliveredText, type ReplyPorts } from '../../../src/executors/reply.js';
import { owedReply } from '../../../src/ledger/owed-reply.js';
import type { TaskRecord } from '../../../src/ledger/records.js';
import type { Logger } from '../../../src/log.js';
import type { Core } from '../../../src/plugin.js';

interface CourierDeps {
  core: Pick<Core, 'ledger' | 'prompts' | 'calls' | 'clock' | 'workspaces' | 'failpoints'>;
  log: Logger;
  ports: ReplyPorts;
  delivered(event: WatchDelivered): void;
}

/** After a reply could not be told, the last one again and again. */
const RETRY_MS = [1_000, 10_000, 60_000, 600_000];

export class Courier {
  /** Tasks whose reply is on its way or waits for its next try. */
  private readonly busy = new Set<string>();
  private stopped = false;

  constructor(private readonly deps: CourierDeps) {}

  /** The task may have something to tell. Returns at once. */
  consider(taskId: string): void {
    if (this.stopped || this.busy.has(taskId) || this.owed(taskId) === undefined) return;
    this.busy.add(taskId);
    void this.deliver(taskId, 0);
  }

  /** Begins nothing new; the next process tells the rest. */
  stop(): void {
    this.stopped = true;
  }

  private async deliver(taskId: string, tries: number): Promise<void> {
    const owed = this.owed(taskId);
    try {
      if (owed && !this.stopped) await this.tell(owed.record, owed.seq);
    } catch (error) {
      const { clock, ledger } = this.deps.core;
      this.deps.log.warn({ cid: taskId, tries, reason: errorText(error) }, 'a reply could not be told yet');
      if (ledger.get(taskId) === undefined) return void this.busy.delete(taskId);
      clock.after(RETRY_MS[Math.min(tries, RETRY_MS.length - 1)] as number, () => void this.deliver(taskId, tries + 1));
      return;
    }
    this.busy.delete(taskId);
    // It may have gone on while it was told.
    this.consider(taskId);
  }

  private async tell(record: TaskRecord, seq: number): Promise<void> {
    const { core, ports, delivered } = this.deps;
    const { task, envelope } = record;
    const { replyTo, caller, chain, agent } = envelope;
    if (!replyTo) return;
    const messageId = `reply-${task.id}-${seq}`;
    // Told by the last process, whose words may have been slightly others.
    if (core.ledger.findMessage(caller, messageId)) return core.ledger.replies.acknowledge(task.id, seq);
    const text = deliveredText(record, replyTo.agent, ports);
    core.failpoints.hit('reply.before-prompt');
    const admission = await core.prompts.submit({
      agent: replyTo.agent,
      contextId: replyTo.contextId,
      caller,
      surface: 'delivery',
      // The hop chain of the turn that asked: the last mark is that turn's own.
      chain: chain.slice(0, -1),
      message: {
        messageId,
        role: 'ROLE_USER',
        parts: [{ text }],
        metadata: { kind: 'reply', agent, taskId: task.id },
      },
      ...(envelope.synthetic && { synthetic: true }),
      ...(envelope.traceparent !== undefined && { traceparent: envelope.traceparent }),
    });
    core.failpoints.hit('reply.after-prompt');
    await core.ledger.replies.acknowledge(task.id, seq);
    const { agent: toAgent, contextId, taskId } = replyTo;
    const to = { agent: toAgent, contextId, taskId };
    delivered({ taskId: task.id, agent, caller: caller.id, state: task.status.state, inTask: admission.taskId, to });
  }

  private owed(taskId: string): { record: TaskRecord; seq: number } | undefined {
    const { ledger, calls, workspaces } = this.deps.core;
    const record = ledger.get(taskId);
    const agent = record?.envelope.replyTo?.agent;
    // A plugin's agent waits for its calls itself.
    if (!record || agent === undefined || !workspaces.has(agent) || calls.isAwaited(record)) return undefined;
    const seq = owedReply(record);
    return seq === undefined ? undefined : { record, seq };
  }
}
