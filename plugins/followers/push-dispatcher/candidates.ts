// Which webhook is tried next: what has just become owed, and what the schedule says is due, by turns of callers and
// hosts. Holds a bounded number in memory, however many are owed.
import type { PushSchedule } from '../../../src/ledger/ledger-port.js';
import type { PushLane } from '../../../src/mirror/push-rows.js';
import type { Room } from './room.js';

export interface Candidate extends PushLane {
  taskId: string;
  configId: string;
}

/** Candidates kept in memory, of all callers and of one. */
const MOST = 512;
const MOST_OF_CALLER = 128;
/** Lanes that are looked at in one go. */
const LANES_AT_ONCE = 256;
/** While there are candidates, a new walk begins no sooner than this after the last, in milliseconds. */
const BETWEEN_WALKS_MS = 25;
/** Sorts after every host there is. */
const LAST_HOST = '\x7f';

export const candidateKey = ({ taskId, configId }: Pick<Candidate, 'taskId' | 'configId'>): string =>
  `${taskId}_${configId}`;

export class Candidates {
  /** By caller; the callers take turns in this order. */
  private readonly queues = new Map<string, Map<string, Candidate>>();
  private size = 0;
  /** Where the walk over the schedule's lanes has come to; undefined at its beginning. */
  private place: PushLane | undefined;
  private foundOnWalk = false;
  private walkedAt = -Infinity;
  /** Where the walk left a caller whose queue was full: the next one goes on there, so that every host has its turn. */
  private readonly left = new Map<string, string>();
  /** The schedule may hold something that is due and not in memory. */
  private more = false;
  /** Something that is due was left where it is for want of room. */
  private limited = false;

  constructor(
    private readonly room: Room,
    private readonly schedule: Pick<PushSchedule, 'nextLane' | 'due'>,
    /** True for what is being tried, or has to wait for reasons of its own. */
    private readonly busy: (key: string) => boolean,
  ) {}

  /** Something in the schedule may be due now, or may now have room. */
  look(): void {
    this.more = true;
  }

  /** A call has ended or counts as slow: what had no room may have some now. */
  freed(): void {
    if (this.limited) this.more = true;
    this.limited = false;
  }

  /** A candidate that `next` gave out could not be called for want of room at its host. */
  leave(): void {
    this.limited = true;
  }

  /** Something has become owed. What memory has no room for is found in the schedule later. */
  offer(candidate: Candidate): void {
    if (!this.add(candidate)) this.more = true;
  }

  /** The next one that may be called: its caller has room. Undefined when there is none in memory. */
  next(): Candidate | undefined {
    for (const [caller, queue] of this.queues) {
      if (this.room.fullFor(caller)) continue;
      const [first] = queue;
      if (!first) continue;
      const [key, candidate] = first;
      queue.delete(key);
      this.size -= 1;
      // The others come first now.
      this.queues.delete(caller);
      if (queue.size > 0) this.queues.set(caller, queue);
      return candidate;
    }
    return undefined;
  }

  /**
   * Takes what is due from the schedule, of callers and hosts that have room. False when there is nothing more until
   * something happens. Throws when the schedule can't be read.
   */
  refill(now: number): boolean {
    if (!this.more || this.size >= MOST) return false;
    if (!this.place) {
      if (this.size > 0 && now - this.walkedAt < BETWEEN_WALKS_MS) return false;
      this.walkedAt = now;
    }
    for (let looked = 0; looked < LANES_AT_ONCE && this.size < MOST; looked++) {
      const lane = this.schedule.nextLane(this.place);
      if (!lane) {
        this.more = this.foundOnWalk;
        this.foundOnWalk = false;
        this.place = undefined;
        return this.more;
      }
      this.visit(lane, now);
    }
    return true;
  }

  private visit(lane: PushLane & { nextAt: number }, now: number): void {
    const { caller } = lane;
    const isNew = this.place?.caller !== caller;
    const left = this.left.get(caller);
    if (this.skip(lane)) {
      if (!isNew) this.left.set(caller, this.place?.host ?? '');
      this.place = { caller, host: LAST_HOST };
    } else if (isNew && left !== undefined) {
      // The hosts before have their turn on the walk after this one.
      this.left.delete(caller);
      this.place = { caller, host: left };
      this.foundOnWalk = true;
    } else {
      this.place = lane;
      if (lane.nextAt <= now) this.take(lane, now);
    }
  }

  private skip({ caller }: PushLane): boolean {
    const full = this.room.fullFor(caller) || (this.queues.get(caller)?.size ?? 0) >= MOST_OF_CALLER;
    if (full) this.limited = true;
    return full;
  }

  private take(lane: PushLane, now: number): void {
    let free = this.room.freeAt(lane.caller, lane.host);
    if (free === 0) {
      this.limited = true;
      return;
    }
    // Those that are being tried are still in the schedule.
    for (const due of this.schedule.due(lane, now, free + this.room.runningAt(lane.caller, lane.host))) {
      const { taskId, configId, caller, host } = due;
      if (free === 0 || this.busy(candidateKey(due))) continue;
      if (!this.add({ taskId, configId, caller, host })) {
        this.limited = true;
        return;
      }
      this.foundOnWalk = true;
      free -= 1;
    }
  }

  /** False when there is no room for it; true also when it is there already. */
  private add(candidate: Candidate): boolean {
    const key = candidateKey(candidate);
    const queue = this.queues.get(candidate.caller) ?? new Map<string, Candidate>();
    if (queue.has(key)) return true;
    if (this.size >= MOST || queue.size >= MOST_OF_CALLER) return false;
    queue.set(key, candidate);
    this.queues.set(candidate.caller, queue);
    this.size += 1;
    return true;
  }
}
