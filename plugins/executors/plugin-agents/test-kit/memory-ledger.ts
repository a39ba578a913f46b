// A ledger that forgets at the end of a test: the product's own rules for what happens to a task, without a disk.
import { AppError } from '../../../../src/errors.js';
import { takeFromBus, type LedgerBus } from '../../../../src/ledger/bus-events.js';
import { eventOfContinuation } from '../../../../src/ledger/continuation.js';
import type { Continuation, NewTask, TaskList } from '../../../../src/ledger/ledger-port.js';
import { messageHash } from '../../../../src/ledger/message-hash.js';
import type { Kept, TaskEvent, TaskRecord, Update } from '../../../../src/ledger/records.js';
import { reduce, refusalOf } from '../../../../src/ledger/task-reducer.js';
import type { TaskQuery } from '../../../../src/mirror/rows.js';
import type { BlobRef } from '../../../../src/workspace/blob-store.js';

export class MemoryLedger {
  /** Of all tasks, in order. */
  readonly updates: (Update & { taskId: string })[] = [];
  private readonly records = new Map<string, TaskRecord>();

  constructor(
    bus: LedgerBus,
    private readonly now: () => number,
    private readonly changed: (record: TaskRecord) => void,
  ) {
    takeFromBus(bus, {
      event: (taskId, event) => {
        if (refusalOf(this.records.get(taskId), event) === undefined) this.append(taskId, event);
      },
      cancel: ({ cid, by }) => Promise.resolve(this.tryAppend(cid, { type: 'canceled', by })).then(() => undefined),
    });
  }

  create({ taskId, ...task }: NewTask): TaskRecord {
    return this.append(taskId, { type: 'created', ...task, hash: messageHash(task.message) });
  }

  resume(input: Continuation): TaskRecord {
    const record = this.records.get(input.taskId);
    if (!record) throw new AppError('task-not-found', `Task ${input.taskId} does not exist.`);
    return this.tryAppend(input.taskId, eventOfContinuation(record.envelope, input));
  }

  get = (taskId: string): TaskRecord | undefined => this.records.get(taskId);

  keep = (taskId: string, turn: number, kept: Kept): Promise<void> =>
    Promise.resolve(this.tryAppend(taskId, { type: 'kept', turn, kept })).then(() => undefined);

  isRunning = (taskId: string, turn: number): boolean => {
    const envelope = this.records.get(taskId)?.envelope;
    return envelope?.turnOpen === true && envelope.turn === turn;
  };

  list = ({ contextId, agent }: TaskQuery): TaskList => {
    const found = [...this.records.values()].filter(
      ({ task, envelope }) => task.contextId === contextId && envelope.agent === agent,
    );
    const tasks = found.map(({ task, envelope: { caller } }) => ({
      record: { taskId: task.id, caller: caller.id, agent: agent ?? '', scope: caller.scope },
      task,
    }));
    return { tasks, total: tasks.length };
  };

  private tryAppend(taskId: string, event: TaskEvent): TaskRecord {
    const refusal = refusalOf(this.records.get(taskId), event);
    if (refusal !== undefined) throw new AppError('unsupported-operation', `Not possible now: ${refusal}.`);
    return this.append(taskId, event);
  }

  private append(taskId: string, event: TaskEvent): TaskRecord {
    const before = this.records.get(taskId);
    const at = Math.max(this.now(), before?.envelope.updatedAt ?? 0);
    const { record, updates } = reduce(before, { taskId, seq: (before?.envelope.seq ?? 0) + 1, at, event });
    this.records.set(taskId, record);
    this.updates.push(...updates.map((update) => ({ taskId, ...update })));
    this.changed(record);
    return record;
  }
}

/** Files of a test. */
export class MemoryBlobs {
  private readonly files: Buffer[] = [];

  put = (_scope: string, bytes: Uint8Array): BlobRef => ({
    blob: String(this.files.push(Buffer.from(bytes)) - 1),
    size: bytes.length,
  });
  read = (_scope: string, blob: string): Buffer | undefined => this.files[Number(blob)];
}
