// A peer may call back as often as it likes, and is asked at most once a second: calls in between are one look later.
import type { Clock } from '../../../src/clock.js';

const BETWEEN_MS = 1_000;

export class CallLimit {
  /** By task: when its calls led to a look last, and what stops the one that is to come. */
  private readonly looks = new Map<string, { at: number; cancel?: () => void }>();

  constructor(
    private readonly clock: Clock,
    private readonly look: (taskId: string) => void,
  ) {}

  called(taskId: string): void {
    const last = this.looks.get(taskId);
    if (last?.cancel) return;
    const wait = last ? last.at + BETWEEN_MS - this.clock.now() : 0;
    if (last && wait > 0) last.cancel = this.clock.after(wait, () => this.lookNow(taskId));
    else this.lookNow(taskId);
  }

  /** Nobody follows the task any more. */
  forget(taskId: string): void {
    this.looks.get(taskId)?.cancel?.();
    this.looks.delete(taskId);
  }

  private lookNow(taskId: string): void {
    this.looks.set(taskId, { at: this.clock.now() });
    this.look(taskId);
  }
}
