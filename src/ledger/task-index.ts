// What is asked across tasks: lists, which task took a message, which tasks are in a state. The mirror answers, once it
// holds everything that was committed.
import type { TaskState } from '../a2a-model.js';
import type { CallerRef } from '../bus/topics.js';
import type { Clock } from '../clock.js';
import { MESSAGE_LIFE } from '../message-life.js';
import type { KnownMessage, Mirror, TaskQuery } from '../mirror/rows.js';
import type { Checkpointer } from './checkpointer.js';
import type { TaskList } from './ledger-port.js';
import type { TaskRecord } from './records.js';

export class TaskIndex {
  constructor(
    private readonly deps: { mirror: Mirror; clock: Clock },
    private readonly checkpointer: Checkpointer,
  ) {}

  list(query: TaskQuery): TaskList {
    this.checkpointer.syncMirror();
    const page = this.deps.mirror.list(query);
    const tasks = page.rows.map((row) => ({
      record: { taskId: row.taskId, caller: row.caller, agent: row.agent, scope: row.scope },
      task: JSON.parse(row.head) as TaskRecord['task'],
    }));
    return { tasks, total: page.total, ...(page.next && { next: page.next }) };
  }

  findMessage(caller: CallerRef, messageId: string): KnownMessage | undefined {
    const known =
      this.checkpointer.pendingMessage(caller.id, messageId) ?? this.deps.mirror.findMessage(caller.id, messageId);
    return known && this.deps.clock.now() - known.at < MESSAGE_LIFE ? known : undefined;
  }

  /** Ids of the tasks in a non-terminal state, in the order in which they were made: ids begin with their time. */
  inState(state: TaskState): string[] {
    this.checkpointer.syncMirror();
    const tasks = this.deps.mirror.live().filter((row) => row.state === state);
    return tasks.map(({ taskId }) => taskId).sort();
  }
}
