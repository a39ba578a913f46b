// What tasks know of their work at remote agents: steps that no stream shows, stored like every other.
import { AppError } from '../errors.js';
import type { Mirror, WatchRow } from '../mirror/rows.js';
import type { WatchChange, Watches } from './ledger-port.js';
import type { LiveTask } from './live-task.js';
import type { RemoteRef, TaskEvent, TaskRecord, Watch } from './records.js';
import { refusalOf } from './task-reducer.js';

interface Deps {
  mirror: Pick<Mirror, 'watches' | 'findWatch'>;
  /** Writes to the mirror what it still lacks. */
  syncMirror(): void;
  load(taskId: string): LiveTask;
  append(live: LiveTask, event: TaskEvent): Promise<TaskRecord>;
}

export class TaskWatches implements Watches {
  constructor(private readonly deps: Deps) {}

  begin(taskId: string, turn: number, watch: Watch, remote?: RemoteRef): Promise<TaskRecord> {
    return this.append(taskId, turn, () => ({ watch, ...(remote && { remote }) }));
  }

  update(taskId: string, turn: number, { watch, remote }: WatchChange): Promise<TaskRecord> {
    return this.append(taskId, turn, (known) => ({
      ...(watch && known && { watch: { ...known, ...watch } }),
      ...(remote && { remote }),
    }));
  }

  /** The change is made of what is known at this moment, what is on its way to the journal included. */
  private async append(
    taskId: string,
    turn: number,
    change: (known: Watch | undefined) => { watch?: Watch; remote?: RemoteRef },
  ): Promise<TaskRecord> {
    const live = this.deps.load(taskId);
    const event: TaskEvent = { type: 'watch', turn, ...change(live.head?.envelope.watch) };
    const refusal = refusalOf(live.head, event);
    if (refusal !== undefined) throw new AppError('unsupported-operation', `Not possible now: ${refusal}.`);
    return this.deps.append(live, event);
  }

  all(): WatchRow[] {
    this.deps.syncMirror();
    return this.deps.mirror.watches();
  }

  find(watchId: string): WatchRow | undefined {
    return this.deps.mirror.findWatch(watchId);
  }
}
