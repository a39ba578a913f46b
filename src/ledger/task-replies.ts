// The ledger's side for tasks that somebody asked for: which of them may still have something to tell, and how far that is
// done.
import type { Mirror } from '../mirror/rows.js';
import type { Replies } from './ledger-port.js';
import type { LiveTask } from './live-task.js';
import type { TaskEvent, TaskRecord } from './records.js';
import { refusalOf } from './task-reducer.js';

interface Deps {
  mirror: Pick<Mirror, 'openReplies'>;
  /** Writes to the mirror what it still lacks. */
  syncMirror(): void;
  load(taskId: string): LiveTask;
  append(live: LiveTask, event: TaskEvent): Promise<TaskRecord>;
}

export class TaskReplies implements Replies {
  constructor(private readonly deps: Deps) {}

  async acknowledge(taskId: string, upTo: number): Promise<void> {
    const live = this.deps.load(taskId);
    const event: TaskEvent = { type: 'reply-acknowledged', upTo };
    if (refusalOf(live.head, event) === undefined) await this.deps.append(live, event);
  }

  open(): string[] {
    this.deps.syncMirror();
    return this.deps.mirror.openReplies();
  }
}
