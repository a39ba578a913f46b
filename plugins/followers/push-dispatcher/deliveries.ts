// Tells webhooks what they are owed: one call at a time for each, so that it hears of changes in their order; what fails
// is tried again by the retry schedule. What is owed is asked of the task at every step; a crash or a lost schedule can
// only make a receiver hear something twice.
import { setMaxListeners } from 'node:events';
import { errorText } from '../../../src/errors.js';
import { owedTransitions } from '../../../src/ledger/owed-webhooks.js';
import { hostOf } from '../../../src/ledger/webhook-rows.js';
import { candidateKey, Candidates, type Candidate } from './candidates.js';
import { HeavyRoom } from './heavy-room.js';
import { bytesOfFiles } from './notification.js';
import { Room, type Seat } from './room.js';
import { Tries, type DueTry, type HowItWent, type TryDeps } from './tries.js';

/** A call that takes longer counts as slow. */
const SLOW_MS = 100;
/** After a failure of our own, e.g. to store an acknowledgement, or without room for its files, a webhook rests this long. */
const REST_MS = 1_000;
/** The schedule is looked at no more often than this for what has become due, and at least this often. */
const LOOK_MS = { soonest: 100, latest: 60_000 };

interface DeliveriesDeps extends TryDeps {
  room?: Room;
}

export class Deliveries {
  /** Being tried, or resting. */
  private readonly busy = new Set<string>();
  private readonly running = new Set<Promise<void>>();
  private readonly room: Room;
  private readonly candidates: Candidates;
  private readonly controller = new AbortController();
  private look: { at: number; cancel(): void } | undefined;
  private readonly heavy = new HeavyRoom();
  private readonly tries: Tries;
  private pumping = false;
  private stopping = false;

  constructor(private readonly deps: DeliveriesDeps) {
    this.room = deps.room ?? new Room();
    this.tries = new Tries(deps, (at) => this.lookAt(at));
    // Every call listens for the stop; Node would take so many for a leak.
    setMaxListeners(0, this.controller.signal);
    this.candidates = new Candidates(this.room, deps.core.ledger.pushSchedule, (key) => this.busy.has(key));
  }

  /** Looks for what is owed since before this process. In the background. */
  start(): void {
    this.candidates.look();
    this.pumpSoon();
  }

  /** The task may owe something new. Returns at once. */
  wake(taskId: string): void {
    const record = this.deps.core.ledger.get(taskId);
    for (const config of record?.envelope.pushConfigs ?? []) {
      if (!record || owedTransitions(record.envelope, config).length === 0) continue;
      const { id: caller } = record.envelope.caller;
      this.offer({ taskId, configId: config.id, caller, host: hostOf(config.url) });
    }
    this.pumpSoon();
  }

  /** Begins nothing new, and waits for what is on its way until `late` resolves; then that is broken off. */
  async stop(late: Promise<void>): Promise<void> {
    this.stopping = true;
    this.look?.cancel();
    const settled = Promise.all(this.running);
    await Promise.race([settled, late]);
    this.controller.abort();
    await settled;
  }

  private offer(candidate: Candidate): void {
    if (!this.busy.has(candidateKey(candidate))) this.candidates.offer(candidate);
  }

  private pumpSoon(): void {
    if (this.pumping || this.stopping) return;
    this.pumping = true;
    setImmediate(() => {
      this.pumping = false;
      if (!this.stopping) this.pump();
    });
  }

  /** Starts what has room. */
  private pump(): void {
    try {
      this.startAll();
      if (this.room.full) return;
      if (this.candidates.refill(this.deps.core.clock.now())) this.pumpSoon();
      else if (!this.look)
        this.lookAt(this.deps.core.ledger.pushSchedule.nextAfter(this.deps.core.clock.now()) ?? Infinity);
    } catch (error) {
      this.deps.log.error({ reason: errorText(error) }, 'the schedule of webhooks could not be read');
      this.candidates.look();
      this.lookAt(this.deps.core.clock.now() + REST_MS);
    }
  }

  private startAll(): void {
    while (!this.room.full) {
      const candidate = this.candidates.next();
      if (!candidate) return;
      if (this.busy.has(candidateKey(candidate))) continue;
      const seat = this.room.enter(candidate.caller, candidate.host);
      if (!seat) this.candidates.leave();
      else this.begin(candidate, seat);
    }
  }

  /** Makes sure that the schedule is looked at by then. */
  private lookAt(at: number): void {
    const { clock } = this.deps.core;
    const wait = Math.min(Math.max(at - clock.now(), LOOK_MS.soonest), LOOK_MS.latest);
    const due = clock.now() + wait;
    if (this.stopping || (this.look && this.look.at <= due)) return;
    this.look?.cancel();
    const cancel = clock.after(wait, () => {
      this.look = undefined;
      this.candidates.look();
      this.pumpSoon();
    });
    this.look = { at: due, cancel };
  }

  private begin(candidate: Candidate, seat: Seat): void {
    const key = candidateKey(candidate);
    this.busy.add(key);
    const stopTimer = this.deps.core.clock.after(SLOW_MS, () => {
      seat.slow();
      this.candidates.freed();
      this.pumpSoon();
    });
    const run: Promise<void> = this.run(candidate, (how) => {
      stopTimer();
      seat.leave(how);
    }).finally(() => {
      this.running.delete(run);
      this.candidates.freed();
      this.pumpSoon();
    });
    this.running.add(run);
  }

  /** One try. Never rejects. */
  private async run(candidate: Candidate, leave: Seat['leave']): Promise<void> {
    let how: HowItWent | undefined;
    let rest = false;
    let lighten: (() => void) | undefined;
    try {
      const due = this.due(candidate);
      if (!due) return this.putOff(candidate);
      lighten = this.heavy.enter(candidate.caller, bytesOfFiles(due.record));
      if (!lighten) return void (rest = true);
      await this.tries.make(due, this.controller.signal, (went) => (how = went));
      if (this.due(candidate)) this.candidates.offer(candidate);
    } catch (error) {
      const { taskId: cid, configId } = candidate;
      this.deps.log.error({ cid, configId, reason: errorText(error) }, 'telling a webhook failed');
      rest = true;
    } finally {
      lighten?.();
      leave(how);
      if (!rest) this.busy.delete(candidateKey(candidate));
      else this.deps.core.clock.after(REST_MS, () => this.goOn(candidate));
    }
  }

  private due(candidate: Candidate): DueTry | undefined {
    return this.stopping ? undefined : this.tries.due(candidate);
  }

  private goOn(candidate: Candidate): void {
    this.busy.delete(candidateKey(candidate));
    this.candidates.offer(candidate);
    this.pumpSoon();
  }

  /** What the schedule says is due and the task does not, since it can't be read perhaps, is not asked for all the time. */
  private putOff({ taskId, configId }: Candidate): void {
    const { ledger, clock } = this.deps.core;
    const row = this.stopping ? undefined : ledger.pushSchedule.find(taskId, configId);
    if (!row || row.nextAt > clock.now()) return;
    ledger.pushSchedule.postpone({ ...row, nextAt: clock.now() + LOOK_MS.latest });
  }
}
