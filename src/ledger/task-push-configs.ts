// The ledger's side for webhooks: each change of them is an event of their task, committed like any other.
import type { PushConfig } from '../a2a-model.js';
import { AppError } from '../errors.js';
import type { PushConfigs } from './ledger-port.js';
import type { LiveTask } from './live-task.js';
import { configRefusal, pushRefusal } from './push-configs.js';
import type { DeadLetter, PushEvent, PushRegistration, TaskRecord } from './records.js';

interface TaskPushConfigsDeps {
  /** Throws `task-not-found`. */
  load(taskId: string): LiveTask;
  append(live: LiveTask, event: PushEvent): Promise<TaskRecord>;
}

export class TaskPushConfigs implements PushConfigs {
  private readonly listeners: ((taskId: string) => void)[] = [];

  constructor(private readonly deps: TaskPushConfigsDeps) {}

  async set(taskId: string, config: PushConfig): Promise<PushRegistration> {
    const live = this.deps.load(taskId);
    mustHaveRoom(live, config);
    const { envelope } = await this.deps.append(live, { type: 'push-config', config });
    this.tell(taskId);
    return envelope.pushConfigs?.find(({ id }) => id === config.id) as PushRegistration;
  }

  delete(taskId: string, id: string): Promise<void> {
    return this.appendIfItFits(taskId, { type: 'push-config-deleted', id });
  }

  acknowledge(taskId: string, id: string, upTo: number): Promise<void> {
    return this.appendIfItFits(taskId, { type: 'push-acknowledged', id, upTo });
  }

  giveUp(taskId: string, id: string, failure: Omit<DeadLetter, 'at' | 'again'>): Promise<void> {
    return this.appendIfItFits(taskId, { type: 'push-dead', id, ...failure });
  }

  async redrive(taskId: string, id: string, { seq, since }: { seq?: number; since?: number } = {}): Promise<number> {
    const { envelope } = this.deps.load(taskId).head as TaskRecord;
    const dead = envelope.pushConfigs?.find((config) => config.id === id)?.dead ?? [];
    const seqs = dead
      .filter((letter) => !letter.again && (seq ?? letter.seq) === letter.seq && letter.at >= (since ?? 0))
      .map((letter) => letter.seq);
    if (seqs.length > 0) await this.appendIfItFits(taskId, { type: 'push-redriven', id, seqs });
    this.tell(taskId);
    return seqs.length;
  }

  disable(taskId: string, id: string, by: 'gone' | 'operator'): Promise<void> {
    return this.appendIfItFits(taskId, { type: 'push-disabled', id, by });
  }

  async enable(taskId: string, id: string): Promise<void> {
    await this.appendIfItFits(taskId, { type: 'push-enabled', id });
    this.tell(taskId);
  }

  onOwed(listener: (taskId: string) => void): void {
    this.listeners.push(listener);
  }

  private tell(taskId: string): void {
    for (const listener of this.listeners) listener(taskId);
  }

  private async appendIfItFits(taskId: string, event: PushEvent): Promise<void> {
    const live = this.deps.load(taskId);
    if (pushRefusal((live.head as TaskRecord).envelope, event) === undefined) await this.deps.append(live, event);
  }
}

/** Throws `invalid-params` when the task has as many as it may have. */
export function mustHaveRoom(live: LiveTask, config: PushConfig | undefined): void {
  const refusal = configRefusal((live.head as TaskRecord).envelope, config);
  if (refusal !== undefined) throw new AppError('invalid-params', `The webhook can't be added: ${refusal}.`);
}
