// One task in memory: what is committed, what is on its way to the journal, and the ring that followers read from.
// Invariant: followers see only committed updates, each once, in order.
import { isTerminal } from '../a2a-model.js';
import type { Follower } from './ledger-port.js';
import type { TaskRecord, TranscriptLine, Update } from './records.js';

/** Updates a follower may fall behind before it loses its place. */
export const RING_SIZE = 4096;

export class LiveTask {
  /** What a crash can't take back. Undefined until the creation is committed. */
  committed: TaskRecord | undefined;
  /** With everything appended to the journal but not committed yet. */
  head: TaskRecord | undefined;
  /** The position that the checkpoint file holds. */
  checkpointed = 0;
  /** Committed transcript lines that are not in their file yet. */
  lines: TranscriptLine[] = [];
  /** A write failed in the middle of a turn: nothing more of that turn is taken. */
  damaged = false;

  private ring: Update[] = [];
  /** Updates that have left the ring. */
  private dropped = 0;
  /** The position just before the ring's first update. */
  private ringAfter: number;
  private followers = new Set<RingFollower>();

  constructor(
    readonly taskId: string,
    record?: TaskRecord,
  ) {
    this.committed = record;
    this.head = record;
    this.checkpointed = record?.envelope.seq ?? 0;
    this.ringAfter = this.checkpointed;
  }

  /** Nothing runs, nobody follows, and its files are up to date: memory can do without it. */
  get idle(): boolean {
    const { head, committed } = this;
    const saved = head === committed && this.checkpointed === head?.envelope.seq;
    return saved && this.followers.size === 0 && !head?.envelope.turnOpen;
  }

  get ended(): boolean {
    return this.committed !== undefined && isTerminal(this.committed.task.status.state);
  }

  commit(record: TaskRecord, updates: readonly Update[], lines: readonly TranscriptLine[]): void {
    this.committed = record;
    for (const line of lines) this.lines.push(line);
    for (const update of updates) this.ring.push(update);
    if (this.ring.length > RING_SIZE) {
      const gone = this.ring.splice(0, this.ring.length - RING_SIZE / 2);
      this.dropped += gone.length;
      this.ringAfter = gone.at(-1)?.seq ?? this.ringAfter;
    }
    for (const follower of this.followers) follower.wake();
  }

  /** Forgets what was not committed. */
  rollBack(error: Error): void {
    this.head = this.committed;
    for (const follower of this.followers) follower.fail(error);
  }

  /** It is purged: from now on it answers like one that never was. */
  vanish(): void {
    this.committed = undefined;
    this.head = undefined;
    this.close();
  }

  /** Nothing more will come: followers end. */
  close(): void {
    for (const follower of [...this.followers]) follower.close();
  }

  /** A follower from now on, or from after `afterSeq` if the ring reaches back that far. */
  follow(afterSeq?: number): Follower & { replayed: boolean } {
    if (!this.committed) throw new Error('a task is followed after its creation was committed');
    const replayed = afterSeq !== undefined && afterSeq >= this.ringAfter && afterSeq <= this.committed.envelope.seq;
    let index = this.ring.length;
    if (replayed) while (index > 0 && (this.ring[index - 1] as Update).seq > afterSeq) index--;
    const follower = new RingFollower(this, this.committed, this.dropped + index, replayed);
    this.followers.add(follower);
    return follower;
  }

  /** The update at an absolute index: itself, `lost` when it left the ring, undefined when it is still to come. */
  at(index: number): Update | 'lost' | undefined {
    return index < this.dropped ? 'lost' : this.ring[index - this.dropped];
  }

  leave(follower: RingFollower): void {
    this.followers.delete(follower);
  }
}

class RingFollower implements Follower {
  lagged = false;
  failure: Error | undefined;
  private closed = false;
  private wakeUp: (() => void) | undefined;

  constructor(
    private readonly live: LiveTask,
    readonly snapshot: TaskRecord,
    private index: number,
    readonly replayed: boolean,
  ) {}

  async next(): Promise<Update | undefined> {
    for (;;) {
      const update = this.closed ? undefined : this.live.at(this.index);
      if (update === 'lost') {
        this.lagged = true;
        this.close();
      } else if (update) {
        this.index++;
        return update;
      } else if (this.failure) {
        const { failure } = this;
        this.close();
        throw failure;
      } else if (this.closed || this.live.ended) {
        this.close();
        return undefined;
      } else {
        await new Promise<void>((resolve) => (this.wakeUp = resolve));
      }
    }
  }

  wake(): void {
    const { wakeUp } = this;
    this.wakeUp = undefined;
    wakeUp?.();
  }

  fail(error: Error): void {
    this.failure = error;
    this.wake();
  }

  close(): void {
    this.closed = true;
    this.live.leave(this);
    this.wake();
  }
}
