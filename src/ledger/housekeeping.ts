// What time does to tasks: questions that nobody answers end, and ended tasks go when they are too old or too many. The
// mirror names the candidates; each task decides for itself, on one reading of the clock.
import { TERMINAL_STATES, WAITING_STATES } from '../a2a-model.js';
import type { Clock } from '../clock.js';
import { errorText } from '../errors.js';
import type { Logger } from '../log.js';
import type { AgedTask, Mirror } from '../mirror/rows.js';
import type { FileLedger } from './ledger.js';
import { owesWebhooks } from './owed-webhooks.js';
import { statusSince, type TaskRecord } from './records.js';
import { Rounds } from './rounds.js';

/** How long a scope keeps what. */
export interface TaskLimits {
  /** A question that is open longer than this is not answered any more, milliseconds. */
  questionMs: number;
  /** A task that ended longer ago than this goes, milliseconds. */
  keepMs: number;
  /** So many ended tasks stay at most, the latest; absent: any number. */
  maxTasks?: number;
}

interface HousekeepingDeps {
  ledger: Pick<FileLedger, 'expire' | 'purge'>;
  mirror: Pick<Mirror, 'oldest' | 'count'>;
  clock: Clock;
  log: Logger;
  /** All that have tasks now. */
  scopes(): readonly string[];
  /** As of now. Undefined when nobody knows what the owner wants: then everything stays as it is. */
  limitsOf(scope: string): TaskLimits | undefined;
}

/** An expiry is a line in the journal; a purge takes files away, which some file systems do slowly. */
const EXPIRED_AT_ONCE = 32;
const PURGED_AT_ONCE = 8;
/** A task that had to stay, because it owes a webhook perhaps, is not read again before this time is over. */
const STAYS_MS = 60_000;

export class Housekeeping {
  private readonly rounds: Rounds;
  /** Tasks that had to stay, and until when nobody asks again; those that wait longest first. */
  private readonly staying = new Map<string, number>();

  constructor(private readonly deps: HousekeepingDeps) {
    this.rounds = new Rounds({ ...deps, round: () => this.round() });
  }

  start(): void {
    this.rounds.start();
  }

  stop(): Promise<void> {
    return this.rounds.stop();
  }

  /** One look at every scope, in steps small enough to be taken between requests. */
  async *round(): AsyncGenerator<void> {
    const { scopes, limitsOf, log, clock, ledger } = this.deps;
    this.letAskAgain();
    yield* ledger.purge.finish(PURGED_AT_ONCE);
    for (const scope of scopes()) {
      try {
        const limits = limitsOf(scope);
        if (!limits) continue;
        const now = clock.now();
        yield* this.expire(scope, now - limits.questionMs);
        yield* this.retire(scope, now - limits.keepMs, limits.maxTasks);
      } catch (error) {
        log.error({ scope, reason: errorText(error) }, 'tasks of a scope could not be tidied up');
      }
      // Requests come in between, however many scopes there are.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  private async *expire(scope: string, since: number): AsyncGenerator<void> {
    for (const page of this.oldest(scope, WAITING_STATES, EXPIRED_AT_ONCE)) {
      const due = page.filter(({ statusAt }) => statusAt < since);
      if (due.length === 0) return;
      await this.each(due, async (ids) => {
        const ended = await Promise.all(ids.map((taskId) => this.deps.ledger.expire(taskId, since)));
        return ids.filter((_taskId, i) => ended[i]);
      });
      yield;
      if (due.length < page.length) return;
    }
  }

  private async *retire(scope: string, before: number, maxTasks: number | undefined): AsyncGenerator<void> {
    const { ledger, mirror } = this.deps;
    // Counted from the oldest, also over those that have to stay for now: the latest `maxTasks` are never touched.
    let surplus = maxTasks === undefined ? 0 : mirror.count(scope, TERMINAL_STATES) - maxTasks;
    for (const page of this.oldest(scope, TERMINAL_STATES, PURGED_AT_ONCE)) {
      const tooMany = new Set(page.slice(0, Math.max(0, surplus)).map(({ taskId }) => taskId));
      surplus -= page.length;
      const due = page.filter(({ taskId, statusAt }) => tooMany.has(taskId) || statusAt < before);
      if (due.length === 0) return;
      const mayGo = (record: TaskRecord): boolean =>
        (tooMany.has(record.task.id) || statusSince(record) < before) && !owesWebhooks(record.envelope);
      await this.each(due, (ids) => ledger.purge.purge(ids, mayGo));
      yield;
      if (due.length < page.length) return;
    }
  }

  /** Lets `work` have those that did not have to stay lately; it returns the ids of those that did not now. */
  private async each(due: readonly AgedTask[], work: (ids: string[]) => Promise<string[]>): Promise<void> {
    const ids = due.map(({ taskId }) => taskId).filter((taskId) => !this.staying.has(taskId));
    if (ids.length === 0) return;
    const gone = new Set(await work(ids));
    const until = this.deps.clock.now() + STAYS_MS;
    for (const taskId of ids) if (!gone.has(taskId)) this.staying.set(taskId, until);
  }

  private letAskAgain(): void {
    const now = this.deps.clock.now();
    for (const [taskId, until] of this.staying) {
      if (until > now) return;
      this.staying.delete(taskId);
    }
  }

  /** Pages of tasks, the longest in their state first; what goes meanwhile moves no page. */
  private *oldest(scope: string, states: readonly string[], limit: number): Generator<AgedTask[]> {
    let after: AgedTask | undefined;
    do {
      const page: AgedTask[] = this.deps.mirror.oldest({ scope, states, limit, ...(after && { after }) });
      if (page.length > 0) yield page;
      after = page.length === limit ? page.at(-1) : undefined;
    } while (after);
  }
}
