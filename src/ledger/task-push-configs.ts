// The ledger's side for webhooks: each change of them is an event of their task, committed like any other.
import type { PushConfig } from '../a2a-model.js';
import { AppError } from '../errors.js';
import type { PushConfigs } from './ledger-port.js';
import type { LiveTask } from './live-task.js';
import { configRefusal, pushRefusal } from './push-configs.js';
import type { PushEvent, PushRegistration, TaskRecord } from './records.js';

export interface TaskPushConfigsDeps {
  /** Throws `task-not-found`. */
  load(taskId: string): LiveTask;
  append(live: LiveTask, event: PushEvent): Promise<TaskRecord>;
}

export class TaskPushConfigs implements PushConfigs {
  constructor(private readonly deps: TaskPushConfigsDeps) {}

  async set(taskId: string, config: PushConfig): Promise<PushRegistration> {
    const live = this.deps.load(taskId);
    mustHaveRoom(live, config);
    const { envelope } = await this.deps.append(live, { type: 'push-config', config });
    return envelope.pushConfigs?.find(({ id }) => id === config.id) as PushRegistration;
  }

  delete(taskId: string, id: string): Promise<void> {
    return this.appendIfItFits(taskId, { type: 'push-config-deleted', id });
  }

  acknowledge(taskId: string, id: string, upTo: number): Promise<void> {
    return this.appendIfItFits(taskId, { type: 'push-acknowledged', id, upTo });
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
