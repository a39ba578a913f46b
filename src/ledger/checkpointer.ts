// Brings committed tasks to their files and into the mirror, a little later and in slices. Order per task: transcript
// lines, checkpoint, mirror row, and only then the journal may let go of its entries.
import type { Clock } from '../clock.js';
import { errorText } from '../errors.js';
import type { Logger } from '../log.js';
import type { KnownMessage, Mirror, TaskRow } from '../mirror/rows.js';
import type { LiveTask } from './live-task.js';
import type { TaskEvent, TaskRecord } from './records.js';
import type { ScopeStores } from './scope-stores.js';

/** A commit is in its checkpoint within 200 ms: this wait, and the slices after it. */
const WAIT_MS = 100;
/** Tasks saved before the event loop gets its turn again. */
const SLICE = 16;
const RETRY_MS = 1_000;

export interface CheckpointerDeps {
  clock: Clock;
  log: Logger;
  mirror: Mirror;
  stores: ScopeStores;
  /** Called when a task's files are up to date. */
  onSaved(live: LiveTask): void;
}

export class Checkpointer {
  private readonly unsaved = new Set<LiveTask>();
  private readonly unmirrored = new Set<LiveTask>();
  /** Messages accepted but not in the mirror's index yet. */
  private readonly messages = new Map<string, KnownMessage>();
  private scheduled = false;
  private closed = false;

  constructor(private readonly deps: CheckpointerDeps) {}

  /** An event was appended: a message it brings counts as known from this moment. */
  expect(record: TaskRecord, event: TaskEvent): void {
    if (event.type !== 'created' && event.type !== 'message') return;
    const { caller, messages } = record.envelope;
    const newest = messages.at(-1);
    if (newest)
      this.messages.set(messageKey(caller.id, newest.id), { taskId: record.task.id, hash: newest.hash, at: newest.at });
  }

  /** What was appended to this task was not committed. */
  forget(live: LiveTask): void {
    const { head, committed } = live;
    if (!head) return;
    for (const message of head.envelope.messages.slice(committed?.envelope.messages.length ?? 0)) {
      this.messages.delete(messageKey(head.envelope.caller.id, message.id));
    }
  }

  pendingMessage(caller: string, messageId: string): KnownMessage | undefined {
    return this.messages.get(messageKey(caller, messageId));
  }

  /** A commit changed this task. */
  dirty(live: LiveTask): void {
    this.unsaved.add(live);
    this.unmirrored.add(live);
    this.schedule(WAIT_MS);
  }

  /** Brings the mirror up to date, so that a list shows what was committed before it. */
  syncMirror(): void {
    if (this.unmirrored.size === 0) return;
    this.mirrorRows([...this.unmirrored]);
  }

  /** Saves everything now. */
  async flush(): Promise<void> {
    await this.deps.stores.flush();
    while (this.unsaved.size > 0) {
      this.saveSlice();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async close(): Promise<void> {
    await this.flush();
    this.closed = true;
  }

  private schedule(delay: number): void {
    if (this.scheduled || this.closed) return;
    this.scheduled = true;
    this.deps.clock.after(delay, () => this.run());
  }

  private run(): void {
    this.scheduled = false;
    if (this.closed) return;
    try {
      this.saveSlice();
    } catch (error) {
      this.deps.log.error(
        { reason: errorText(error) },
        'a checkpoint could not be written; the journal still holds it',
      );
      return this.schedule(RETRY_MS);
    }
    if (this.unsaved.size > 0) {
      this.scheduled = true;
      setImmediate(() => this.run());
    }
  }

  private saveSlice(): void {
    const slice: LiveTask[] = [];
    for (const live of this.unsaved) {
      slice.push(live);
      if (slice.length === SLICE) break;
    }
    for (const live of slice) this.saveFiles(live);
    this.mirrorRows(slice.filter((live) => this.unmirrored.has(live)));
    for (const live of slice) {
      this.unsaved.delete(live);
      const { envelope, task } = live.committed as TaskRecord;
      this.deps.stores.of(envelope.caller.scope).journal.checkpointed(task.id, envelope.seq);
      this.deps.onSaved(live);
    }
  }

  private saveFiles(live: LiveTask): void {
    const record = live.committed as TaskRecord;
    if (live.lines.length > 0) {
      this.deps.stores.saveLines(record, live.lines);
      live.lines = [];
    }
    this.deps.stores.saveCheckpoint(record);
    live.checkpointed = record.envelope.seq;
  }

  private mirrorRows(tasks: readonly LiveTask[]): void {
    this.deps.mirror.upsert(tasks.map((live) => rowOf(live.committed as TaskRecord)));
    for (const live of tasks) {
      this.unmirrored.delete(live);
      const { envelope } = live.committed as TaskRecord;
      for (const message of envelope.messages) this.messages.delete(messageKey(envelope.caller.id, message.id));
    }
  }
}

const messageKey = (caller: string, messageId: string): string => `${caller}\n${messageId}`;

/** The mirror's row of a record. */
export function rowOf({ task, envelope }: TaskRecord): TaskRow {
  const { id, contextId, status, metadata } = task;
  const newest = envelope.transitions.at(-1);
  return {
    taskId: id,
    scope: envelope.caller.scope,
    caller: envelope.caller.id,
    agent: envelope.agent,
    contextId,
    state: status.state,
    statusAt: Date.parse(status.timestamp) || newest?.at || envelope.updatedAt,
    createdAt: envelope.createdAt,
    seq: envelope.seq,
    head: JSON.stringify({ id, contextId, status, ...(metadata && { metadata }) }),
    messages: envelope.messages,
  };
}
