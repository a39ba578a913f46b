// The tasks in memory, and when they may leave it. A task stays while something runs or follows it, and for a while after
// it was saved, so that readers who lost their connection can go on where they were.
import type { Clock } from '../clock.js';
import type { LiveTask } from './live-task.js';

/** A saved task stays this long, while no more than this many wait to leave: under load it leaves earlier. */
const KEEP_MS = 60_000;
const KEEP_TASKS = 1_000;
/** How many are looked at on one occasion: more than come on one, so that those who may leave do. */
const LOOKS = 16;

export class TaskMemory {
  private readonly tasks = new Map<string, LiveTask>();
  /** Tasks that may leave, with the time from which; oldest first. */
  private readonly leaving = new Map<string, number>();

  constructor(private readonly clock: Clock) {}

  get(taskId: string): LiveTask | undefined {
    return this.tasks.get(taskId);
  }

  all(): Iterable<LiveTask> {
    return this.tasks.values();
  }

  add(live: LiveTask): void {
    this.tasks.set(live.taskId, live);
  }

  drop(live: LiveTask): void {
    this.tasks.delete(live.taskId);
    this.leaving.delete(live.taskId);
  }

  /** The task's files are up to date. Uses the occasion to let go of those whose time has come. */
  saved(live: LiveTask): void {
    const now = this.clock.now();
    this.leaving.delete(live.taskId);
    // One with an open turn comes here again when that has ended.
    if (!live.head?.envelope.turnOpen) this.leaving.set(live.taskId, now + KEEP_MS);
    // What has to stay goes to the end of the queue; the count keeps that from going in circles.
    for (let looks = Math.min(this.leaving.size, LOOKS); looks > 0; looks--) {
      const [oldest] = this.leaving;
      if (!oldest) return;
      const [taskId, from] = oldest;
      if (from > now && this.leaving.size <= KEEP_TASKS) return;
      this.leaving.delete(taskId);
      const candidate = this.tasks.get(taskId);
      if (!candidate) continue;
      // Not the one that was just read: whoever asked for it is about to change it.
      if (candidate.idle && candidate !== live) this.tasks.delete(taskId);
      else this.leaving.set(taskId, now + KEEP_MS);
    }
  }
}
