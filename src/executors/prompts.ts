// The prompt port: puts prompts on the bus and matches the dispatcher's word to the one who asked.
import { isTerminal, type PushConfig } from '../a2a-model.js';
import type { BusHandle } from '../bus/bus.js';
import type { PromptRequest, PromptResponse, TaskUpdated } from '../bus/topics.js';
import type { NewId } from '../clock.js';
import { AppError } from '../errors.js';
import type { Ledger } from '../ledger/ledger-port.js';
import type { TaskRecord } from '../ledger/records.js';
import { checkPrompt } from './check-prompt.js';
import type { Admission, NewPrompt, PromptPort } from './prompt-port.js';

export const PROMPTS_DECLARATION = {
  name: 'prompt-port',
  consumes: [],
  observes: ['agent.prompt.response', 'task.updated'],
  produces: ['agent.prompt.request', 'agent.prompt.cancel'],
} as const;

type PromptsBus = BusHandle<
  (typeof PROMPTS_DECLARATION)['observes'][number],
  (typeof PROMPTS_DECLARATION)['produces'][number]
>;

interface Waiter {
  pushConfig?: PushConfig | undefined;
  resolve(admission: Admission): void;
  reject(error: AppError): void;
}

export class Prompts implements PromptPort {
  private readonly waiting = new Map<string, Waiter>();
  private stopping = false;

  constructor(private readonly deps: { bus: PromptsBus; ledger: Ledger; newId: NewId }) {
    deps.bus.subscribe('task.updated', (update) => this.admitted(update));
    deps.bus.subscribe('agent.prompt.response', (response) => this.refused(response));
  }

  /** From now on every prompt is refused; what was admitted goes on. */
  stop(): void {
    this.stopping = true;
  }

  async submit(prompt: NewPrompt): Promise<Admission> {
    if (this.stopping) throw new AppError('overloaded', 'The switchboard is stopping.', { retryAfter: 5 });
    checkPrompt(prompt);
    const { taskId, contextId, pushConfig, ...rest } = prompt;
    const known = taskId === undefined ? undefined : this.deps.ledger.get(taskId);
    const request: PromptRequest = {
      ...rest,
      cid: taskId ?? this.deps.newId(),
      requestId: this.deps.newId(),
      continues: taskId !== undefined,
      contextId: contextId ?? known?.task.contextId ?? this.deps.newId(),
      ...(pushConfig && { webhook: true }),
    };
    return new Promise((resolve, reject) => {
      this.waiting.set(request.requestId, { pushConfig, resolve, reject });
      this.deps.bus.publish('agent.prompt.request', request);
    });
  }

  pushConfigOf(requestId: string): PushConfig | undefined {
    return this.waiting.get(requestId)?.pushConfig;
  }

  async cancel(taskId: string, by: string, reason?: string): Promise<TaskRecord> {
    const { ledger, bus } = this.deps;
    const record = ledger.get(taskId);
    if (!record) throw new AppError('task-not-found', `Task ${taskId} does not exist.`);
    if (isTerminal(record.task.status.state)) return record;
    const follower = ledger.follow(taskId);
    const requestId = this.deps.newId();
    const refused = new Promise<Admission>((resolve, reject) => this.waiting.set(requestId, { resolve, reject }));
    const ended = (async () => {
      while (await follower.next());
    })();
    ended.catch(() => undefined);
    bus.publish('agent.prompt.cancel', { cid: taskId, by, requestId, ...(reason !== undefined && { reason }) });
    try {
      await Promise.race([ended, refused]);
    } finally {
      this.waiting.delete(requestId);
      follower.close();
    }
    return ledger.get(taskId) ?? record;
  }

  private admitted({ requestId, taskId, seq, event }: TaskUpdated): void {
    if (requestId === undefined) return;
    const waiter = this.take(requestId);
    if (!waiter) return;
    const record = this.deps.ledger.get(taskId);
    if (!record) return waiter.reject(new AppError('internal', 'The task vanished.'));
    const task = event && 'task' in event ? event.task : record.task;
    waiter.resolve({ kind: 'admitted', taskId, record: { task, envelope: record.envelope }, seq });
  }

  private refused({ requestId, refusal, duplicateOf }: PromptResponse): void {
    if (requestId === undefined) return;
    if (duplicateOf !== undefined) this.take(requestId)?.resolve({ kind: 'duplicate', taskId: duplicateOf });
    else if (refusal) this.take(requestId)?.reject(new AppError(refusal.code, refusal.message, refusal.details));
  }

  private take(requestId: string): Waiter | undefined {
    const waiter = this.waiting.get(requestId);
    this.waiting.delete(requestId);
    return waiter;
  }
}
