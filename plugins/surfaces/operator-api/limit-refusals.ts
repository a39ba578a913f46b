// Which tasks the dispatcher refused for a limit: the task itself only says that it was rejected. Known for the newest
// refusals; an older one reads as any rejected task.
import type { PromptDropped } from '../../../src/bus/topics.js';
import type { ErrorCode } from '../../../src/errors.js';

const MAX_KEPT = 1000;

export interface LimitRefusal {
  code: ErrorCode;
  /** Milliseconds since the epoch from when on the same request may pass. */
  until?: number;
}

export class LimitRefusals {
  private readonly kept = new Map<string, LimitRefusal>();

  note({ cid, code, until }: PromptDropped): void {
    if (code !== 'quota') return;
    this.kept.set(cid, { code, until });
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= MAX_KEPT) return;
      this.kept.delete(oldest);
    }
  }

  of(taskId: string): LimitRefusal | undefined {
    return this.kept.get(taskId);
  }
}
