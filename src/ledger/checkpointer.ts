// Brings committed tasks to their files and into the mirror, a little later and in slices. Order per task: transcript
// lines, checkpoint, mirror row, and only then the journal may let go of its entries. Files are written soon, since
// owners read them; rows may gather longer, because a larger transaction costs less a row.
import type { Conversation } from '../bus/parties.js';
import type { Clock } from '../clock.js';
import { errorText } from '../errors.js';
import type { Logger } from '../log.js';
import type { KnownMessage, Mirror } from '../mirror/rows.js';
import type { LiveTask } from './live-task.js';
import type { TaskEvent, TaskRecord } from './records.js';
import type { ScopeStores } from './scope-stores.js';
import { Sweep } from './sweep.js';
import { dropRow } from './task-files.js';
import { rowOf } from './task-row.js';

/** A commit is in its checkpoint within 200 ms: this wait, and the slices after it. */
const FILES_WAIT_MS = 100;
const FILES_AT_ONCE = 16;
/** A slice ends early after so many milliseconds: making files is slow where many were deleted. */
const SLICE_MS = 2;
/** For every so many tasks that are behind, a slice is once more as large: memory must not grow with a load that lasts. */
const BEHIND_A_SLICE = 256;
const LARGEST_SLICE = 16;
const ROWS_WAIT_MS = 500;
const ROWS_AT_ONCE = 64;
const RETRY_MS = 1_000;

interface CheckpointerDeps {
  clock: Clock;
  log: Logger;
  mirror: Mirror;
  stores: ScopeStores;
  /** Called when a task's files are up to date. */
  onSaved(live: LiveTask): void;
  /** Called when a task has no files any more because its workspace is gone. */
  onGone(live: LiveTask): void;
}

export class Checkpointer {
  /** With the time since when; oldest first. */
  private readonly unsaved = new Map<LiveTask, number>();
  private readonly unmirrored = new Map<LiveTask, number>();
  /** Messages accepted but not in the mirror's index yet. */
  private readonly messages = new Map<string, KnownMessage>();
  private readonly files: Sweep;
  private readonly rows: Sweep;

  constructor(private readonly deps: CheckpointerDeps) {
    this.files = new Sweep({ ...deps, name: 'checkpoints', waitMs: FILES_WAIT_MS, step: () => this.saveSlice() });
    this.rows = new Sweep({
      ...deps,
      name: 'mirror',
      waitMs: ROWS_WAIT_MS,
      step: () => this.mirrorSlice(),
    });
  }

  /** An event was appended: a message it brings counts as known from this moment. */
  expect(record: TaskRecord, event: TaskEvent): void {
    if (event.type !== 'created' && event.type !== 'message') return;
    const { caller, messages } = record.envelope;
    const newest = messages.at(-1);
    if (!newest) return;
    const { id, hash, at, by = caller.id } = newest;
    this.messages.set(messageKey(by, id), { taskId: record.task.id, hash, at });
  }

  /** What was appended to this task was not committed. */
  forget(live: LiveTask): void {
    const { head, committed } = live;
    if (!head) return;
    for (const message of head.envelope.messages.slice(committed?.envelope.messages.length ?? 0)) {
      this.messages.delete(messageKey(message.by ?? head.envelope.caller.id, message.id));
    }
  }

  pendingMessage(caller: string, messageId: string): KnownMessage | undefined {
    return this.messages.get(messageKey(caller, messageId));
  }

  /** A commit changed this task. */
  dirty(live: LiveTask): void {
    const now = this.deps.clock.now();
    if (!this.unsaved.has(live)) this.unsaved.set(live, now);
    if (!this.unmirrored.has(live)) this.unmirrored.set(live, now);
    this.files.due();
    this.rows.due();
  }

  /** True when files and mirror hold all that is committed. */
  get upToDate(): boolean {
    return this.unsaved.size === 0 && this.unmirrored.size === 0;
  }

  /** Tasks whose file or row is behind what is committed. */
  get behind(): { files: number; rows: number } {
    return { files: this.unsaved.size, rows: this.unmirrored.size };
  }

  /** Brings the mirror up to date, so that a list shows what was committed before it. */
  syncMirror(): void {
    this.mirrorRows([...this.unmirrored.keys()]);
  }

  /** Saves the tasks of one session whose transcript lacks lines. */
  saveSession({ caller, agent, contextId }: Conversation): void {
    for (const live of [...this.unsaved.keys()]) {
      const { task, envelope } = live.committed as TaskRecord;
      if (live.lines.length === 0 || task.contextId !== contextId) continue;
      if (envelope.caller.id === caller && envelope.agent === agent) this.save([live], Infinity);
    }
  }

  /** Saves everything now. */
  async flush(): Promise<void> {
    await this.deps.stores.flush();
    // Once each: what fails now stays in the journal and is told from there at the next start.
    const tasks = [...this.unsaved.keys()];
    for (let i = 0; i < tasks.length; i += FILES_AT_ONCE) {
      this.save(tasks.slice(i, i + FILES_AT_ONCE), Infinity);
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.syncMirror();
  }

  async close(): Promise<void> {
    await this.flush();
    this.files.stop();
    this.rows.stop();
  }

  private saveSlice(): boolean {
    const size = Math.min(1 + this.unsaved.size / BEHIND_A_SLICE, LARGEST_SLICE);
    const most = Math.floor(FILES_AT_ONCE * size);
    const slice = first(this.unsaved, most, this.deps.clock.now() - FILES_WAIT_MS);
    const saved = this.save(slice, SLICE_MS * size);
    if (saved < slice.length || slice.length === most) return true;
    if (this.unsaved.size > 0) this.files.due();
    return false;
  }

  /** Saves tasks until the time is up, at least one; how many. */
  private save(tasks: readonly LiveTask[], budgetMs: number): number {
    const until = performance.now() + budgetMs;
    let saved = 0;
    for (const live of tasks) {
      this.unsaved.delete(live);
      try {
        this.saveFiles(live);
        this.release(live);
      } catch (error) {
        this.postpone(live, error);
      }
      saved++;
      if (performance.now() > until) break;
    }
    return saved;
  }

  /** One task's file can't be written: the others go on, the journal keeps this one, and it is tried again later. */
  private postpone(live: LiveTask, error: unknown): void {
    if (this.deps.stores.gone((live.committed as TaskRecord).envelope.caller.scope)) return this.letGo(live);
    this.unsaved.set(live, this.deps.clock.now() + RETRY_MS);
    this.deps.log.error({ cid: live.taskId, reason: errorText(error) }, 'a checkpoint could not be written');
  }

  private mirrorSlice(): boolean {
    const slice = first(this.unmirrored, ROWS_AT_ONCE, this.deps.clock.now() - ROWS_WAIT_MS);
    this.mirrorRows(slice);
    if (slice.length < ROWS_AT_ONCE && this.unmirrored.size > 0) this.rows.due();
    return slice.length === ROWS_AT_ONCE;
  }

  private mirrorRows(tasks: readonly LiveTask[]): void {
    if (tasks.length === 0) return;
    this.deps.mirror.upsert(tasks.map((live) => rowOf(live.committed as TaskRecord)));
    for (const live of tasks) {
      this.unmirrored.delete(live);
      const { envelope } = live.committed as TaskRecord;
      for (const { by = envelope.caller.id, id } of envelope.messages) this.messages.delete(messageKey(by, id));
      this.release(live);
    }
  }

  /** The journal may let go of what is both in the file and in the mirror. */
  private release(live: LiveTask): void {
    if (this.unsaved.has(live) || this.unmirrored.has(live)) return;
    const { task, envelope } = live.committed as TaskRecord;
    this.deps.stores.of(envelope.caller.scope).journal.checkpointed(task.id, envelope.seq);
    this.deps.onSaved(live);
  }

  /** The owner took the workspace away, and its tasks with it: no folder is made for them again. */
  private letGo(live: LiveTask): void {
    this.unmirrored.delete(live);
    dropRow(this.deps.mirror, (live.committed as TaskRecord).envelope.caller.scope, live.taskId);
    this.deps.log.warn({ cid: live.taskId }, 'a task is gone with its workspace');
    this.deps.onGone(live);
  }

  private saveFiles(live: LiveTask): void {
    const record = live.committed as TaskRecord;
    const first = live.checkpointed === 0;
    if (live.lines.length > 0) {
      this.deps.stores.saveLines(record, live.lines);
      live.lines = [];
    }
    this.deps.stores.saveCheckpoint(record, first);
    live.checkpointed = record.envelope.seq;
  }
}

/** The oldest members, if they wait since `since` or longer: a short task is then written once, when it is over. */
function first<T>(waiting: ReadonlyMap<T, number>, most: number, since = Infinity): T[] {
  const members: T[] = [];
  for (const [member, from] of waiting) {
    if (members.length >= most) break;
    if (from <= since) members.push(member);
  }
  return members;
}

const messageKey = (caller: string, messageId: string): string => `${caller}\n${messageId}`;
