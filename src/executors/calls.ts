// Calls from agent to agent. What is returned counts as told; everything else is left to whoever delivers replies.
import { isTerminal } from '../a2a-model.js';
import type { Clock, NewId } from '../clock.js';
import { AppError, errorText } from '../errors.js';
import type { Hops } from '../hops.js';
import type { Ledger } from '../ledger/ledger-port.js';
import { owedReply } from '../ledger/owed-reply.js';
import type { TaskRecord } from '../ledger/records.js';
import type { Logger } from '../log.js';
import type { BlobStore } from '../workspace/blob-store.js';
import type { WorkspaceDirectory } from '../workspace/directory.js';
import type { Asker, CallRequest, Calls } from './calls-port.js';
import type { Admission, PromptPort } from './prompt-port.js';
import { settle } from './settle.js';
import type { Turns } from './turns.js';

interface CallsDeps {
  prompts: PromptPort;
  ledger: Pick<Ledger, 'get' | 'follow' | 'committed' | 'replies'>;
  blobs: Pick<BlobStore, 'tentatively'>;
  turns: Pick<Turns, 'look'>;
  /** Agents with conversations: only those can be told later. */
  workspaces: Pick<WorkspaceDirectory, 'has'>;
  hops: Pick<Hops, 'of'>;
  clock: Clock;
  newId: NewId;
  log: Logger;
}

/** A look at an agent elsewhere may take this long, and what it found this long to be stored. */
const LOOK_SECONDS = 10;
const STORE_SECONDS = 0.25;

export class AgentCalls implements Calls {
  /** Ids of messages whose task is waited for. */
  private readonly awaited = new Set<string>();
  private readonly stopping = new AbortController();
  private readonly listeners: ((taskId: string) => void)[] = [];

  constructor(private readonly deps: CallsDeps) {}

  async call(request: CallRequest): Promise<TaskRecord> {
    const { ledger, clock } = this.deps;
    const { signal, seconds } = request;
    if (request.taskId !== undefined) this.own(request.taskId, request.asker);
    const messageId = request.messageId ?? this.deps.newId();
    this.awaited.add(messageId);
    let taskId: string | undefined;
    let withdrawn: Promise<void> | undefined;
    try {
      const admission = await this.submit(request, messageId);
      taskId = admission.taskId;
      const from = admission.kind === 'admitted' ? { afterSeq: admission.seq } : {};
      const until = AbortSignal.any([signal, this.stopping.signal]);
      const record = await settle(taskId, { ledger, signal: until, limit: { clock, seconds }, ...from });
      if (signal.aborted) withdrawn = this.withdraw(taskId, request.asker);
      return await this.told(record);
    } finally {
      void (withdrawn ?? Promise.resolve()).then(() => this.letGo(messageId, taskId));
    }
  }

  /** Nothing is waited for any more: what is asked for goes on, and is told by the next process. */
  stop(): void {
    this.stopping.abort();
  }

  async look(taskId: string, asker: Asker): Promise<TaskRecord> {
    const { ledger, clock, turns } = this.deps;
    const known = this.own(taskId, asker);
    if (isTerminal(known.task.status.state)) return this.told(known);
    const stop = new AbortController();
    const late = clock.after(LOOK_SECONDS * 1000, () => stop.abort());
    await turns.look(taskId, stop.signal);
    late();
    const { signal } = new AbortController();
    return this.told(await settle(taskId, { ledger, signal, limit: { clock, seconds: STORE_SECONDS } }));
  }

  async cancel(taskId: string, asker: Asker, reason?: string): Promise<TaskRecord> {
    this.own(taskId, asker);
    return this.told(await this.deps.prompts.cancel(taskId, asker.caller.id, reason));
  }

  isAwaited({ envelope }: TaskRecord): boolean {
    const newest = envelope.messages.at(-1);
    return newest !== undefined && this.awaited.has(newest.id);
  }

  onLetGo(listener: (taskId: string) => void): void {
    this.listeners.push(listener);
  }

  private submit(request: CallRequest, messageId: string): Promise<Admission> {
    const { prompts, blobs, hops, workspaces } = this.deps;
    const { asker, surface, lookIn, agent, skill, taskId } = request;
    const { caller, chain, traceparent, synthetic } = asker;
    const contextId = request.contextId ?? (taskId && this.deps.ledger.get(taskId)?.task.contextId);
    return blobs.tentatively(caller.scope, (put) =>
      prompts.submit({
        caller,
        surface,
        message: {
          messageId,
          role: 'ROLE_USER',
          parts: request.parts(put),
          ...(taskId !== undefined && { taskId }),
          ...(contextId !== undefined && { contextId }),
        },
        chain: [...chain, hops.of(asker.agent)],
        replyTo: {
          agent: asker.agent,
          contextId: asker.contextId,
          taskId: asker.taskId,
          ...(!workspaces.has(asker.agent) && { waits: true as const }),
        },
        ...(agent !== undefined && { agent }),
        ...(skill !== undefined && { skill }),
        ...(lookIn !== undefined && { lookIn }),
        ...(taskId !== undefined && { taskId }),
        ...(contextId !== undefined && { contextId }),
        ...(traceparent !== undefined && { traceparent }),
        ...(synthetic && { synthetic }),
      }),
    );
  }

  private letGo(messageId: string, taskId: string | undefined): void {
    this.awaited.delete(messageId);
    if (taskId !== undefined) for (const listener of this.listeners) listener(taskId);
  }

  /** A record that was handed over needs no telling any more. */
  private async told(record: TaskRecord): Promise<TaskRecord> {
    const owed = owedReply(record);
    if (owed !== undefined) await this.deps.ledger.replies.acknowledge(record.task.id, owed);
    return record;
  }

  /** Never rejects. Whoever cancels a task means what it asked for, too. A stop of the server, or a deadline, does not. */
  private async withdraw(taskId: string, asker: Asker): Promise<void> {
    const asking = await this.deps.ledger.committed(asker.taskId);
    if (asking?.task.status.state !== 'TASK_STATE_CANCELED') return;
    try {
      const reason = 'The task that asked for it was canceled.';
      await this.told(await this.deps.prompts.cancel(taskId, asker.caller.id, reason));
    } catch (error) {
      this.deps.log.info({ cid: taskId, reason: errorText(error) }, 'a call goes on');
    }
  }

  private own(taskId: string, { agent, caller }: Asker): TaskRecord {
    const record = this.deps.ledger.get(taskId);
    const { replyTo, caller: owner } = record?.envelope ?? {};
    if (record && replyTo?.agent === agent && owner?.id === caller.id) return record;
    throw new AppError('task-not-found', `There is no task ${taskId.slice(0, 60)} that was asked for from here.`);
  }
}
