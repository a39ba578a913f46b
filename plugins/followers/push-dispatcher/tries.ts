// One webhook's tries: which change it is to be told of now, the call, and what came of it made durable. How a call went is
// kept until it is stored, so that storage that fails has a receiver called no second time.
import type { PushAttempt, PushDead, PushDisabled, PushFailed } from '../../../src/bus/topics.js';
import { owedTransitions } from '../../../src/ledger/owed-webhooks.js';
import type { Ledger } from '../../../src/ledger/ledger-port.js';
import type { Logger } from '../../../src/log.js';
import type { Core } from '../../../src/plugin.js';
import { attempt, NO_CALLER, type AttemptPorts, type Due } from './attempt.js';
import { candidateKey, type Candidate } from './candidates.js';
import { verdictOf, type Outcome, type Verdict } from './retry-schedule.js';
import type { Seat } from './room.js';

export interface TryDeps {
  core: AttemptPorts & Pick<Core, 'failpoints'> & { ledger: Pick<Ledger, 'get' | 'pushConfigs' | 'pushSchedule'> };
  log: Logger;
  /** 0 to 1. */
  random(): number;
  tell: {
    delivered(attempt: PushAttempt): void;
    failed(attempt: PushFailed): void;
    dead(letter: PushDead): void;
    disabled(webhook: PushDisabled): void;
  };
}

export type HowItWent = NonNullable<Parameters<Seat['leave']>[0]>;

/** `attempt`: which try for this change it is, from 1. */
export type DueTry = Due & { attempt: number };

/** How a call went, and what it was about. */
interface Answered {
  seq: number;
  url: string;
  registeredAt: number;
  outcome: Outcome;
  begun: number;
  durationMs: number;
}

type Known = Pick<PushAttempt, 'taskId' | 'configId' | 'seq' | 'attempt' | 'status'>;
type Failure = Exclude<Verdict, { kind: 'delivered' }>;

export class Tries {
  private readonly unstored = new Map<string, Answered>();

  /** `postponed` is told when a webhook is to be tried again (milliseconds since 1970). */
  constructor(
    private readonly deps: TryDeps,
    private readonly postponed: (at: number) => void,
  ) {}

  /** The change to tell now; undefined when there is none, the webhook is gone, or its time has not come. */
  due(candidate: Candidate): DueTry | undefined {
    const due = this.dueNow(candidate);
    if (!due) this.unstored.delete(candidateKey(candidate));
    return due;
  }

  private dueNow({ taskId, configId }: Candidate): DueTry | undefined {
    const { ledger, clock } = this.deps.core;
    const record = ledger.get(taskId);
    const config = record?.envelope.pushConfigs?.find(({ id }) => id === configId);
    if (!record || !config) return undefined;
    const [transition] = owedTransitions(record.envelope, config);
    if (!transition) return undefined;
    // Without its owner's file nobody knows how, and whether, its caller is to be told.
    if (this.deps.core.callers.standing(record.envelope.caller.id) === 'unreadable') return undefined;
    const scheduled = ledger.pushSchedule.find(taskId, configId);
    const same = scheduled?.seq === transition.seq && scheduled.registeredAt === config.createdAt;
    const failed = same ? scheduled.attempts : 0;
    if (failed > 0 && scheduled && scheduled.nextAt > clock.now()) return undefined;
    return { record, config, transition, attempt: failed + 1 };
  }

  /** Calls, unless that was done and only storing it failed. Rejects for reasons of our own, e.g. a full disk. */
  async make(due: DueTry, signal: AbortSignal, went: (how: HowItWent | undefined) => void): Promise<void> {
    const { failpoints } = this.deps.core;
    const key = candidateKey({ taskId: due.record.task.id, configId: due.config.id });
    const before = this.unstored.get(key);
    failpoints.hit('push.before-call');
    const call = before && isAbout(before, due) ? before : await this.call(due, signal);
    if (!call) return;
    failpoints.hit('push.after-answer');
    went(howItWent(call.outcome));
    this.unstored.set(key, call);
    await this.settle(due, call);
    this.unstored.delete(key);
    failpoints.hit('push.after-acknowledgement');
  }

  private async call(due: Due, signal: AbortSignal): Promise<Answered | undefined> {
    const { clock } = this.deps.core;
    const begun = clock.now();
    const outcome = await attempt(this.deps.core, due, signal);
    const { transition, config } = due;
    const about = { seq: transition.seq, url: config.url, registeredAt: config.createdAt };
    return outcome && { ...about, outcome, begun, durationMs: clock.now() - begun };
  }

  /** Makes durable what came of a try, and only then tells of it: what could not be stored comes here again. */
  private async settle(due: DueTry, { outcome, begun: at, durationMs }: Answered): Promise<void> {
    const { record, config, transition, attempt: n } = due;
    const { ledger } = this.deps.core;
    const { seq, state } = transition;
    const [taskId, configId, caller] = [record.task.id, config.id, record.envelope.caller.id];
    const { status } = outcome;
    const known = { taskId, configId, seq, state, attempt: n, durationMs, ...(status !== undefined && { status }) };
    const verdict = verdictOf(outcome, n, this.deps.random());
    if (verdict.kind === 'delivered') {
      // One that leads elsewhere by now has not heard of it.
      if (this.isAt(due)) await ledger.pushConfigs.acknowledge(taskId, configId, seq);
      ledger.pushSchedule.record({ ...known, at });
      this.deps.tell.delivered({ ...known, caller });
      return;
    }
    const { reason } = verdict;
    const stands = this.isAt(due, due.config.createdAt);
    if (stands) await this.storeFailure(known, verdict);
    ledger.pushSchedule.record({ ...known, at, reason });
    this.deps.log.info({ cid: taskId, configId, seq, status, reason }, 'a webhook could not be told');
    const failed = { ...known, caller, reason };
    this.deps.tell.failed(failed);
    if (!stands) return;
    if (verdict.kind === 'gone') this.deps.tell.disabled({ taskId, configId, caller, by: 'gone' });
    if (verdict.kind === 'dead') this.deps.tell.dead(failed);
  }

  /**
   * The webhook may have been replaced while it was called: true when it leads to the same place still, and was registered
   * then. What failed tells nothing of one in its place: that one has its own chance, and at once.
   */
  private isAt({ record, config: { id, url } }: Due, createdAt?: number): boolean {
    const now = this.deps.core.ledger.get(record.task.id)?.envelope.pushConfigs?.find((config) => config.id === id);
    return now?.url === url && (createdAt ?? now.createdAt) === now.createdAt;
  }

  private async storeFailure(
    { taskId, configId, seq, attempt: attempts, status }: Known,
    verdict: Failure,
  ): Promise<void> {
    const { ledger, clock } = this.deps.core;
    if (verdict.kind === 'retry') {
      const nextAt = clock.now() + verdict.waitMs;
      ledger.pushSchedule.postpone({ taskId, configId, seq, attempts, nextAt });
      this.postponed(nextAt);
    } else if (verdict.kind === 'gone') {
      await ledger.pushConfigs.disable(taskId, configId, 'gone');
    } else {
      const letter = { seq, attempts, reason: verdict.reason, ...(status !== undefined && { status }) };
      await ledger.pushConfigs.giveUp(taskId, configId, letter);
    }
  }
}

/** False when the webhook was replaced meanwhile: the one in its place was not called. */
function isAbout(call: Answered, { transition, config }: Due): boolean {
  return call.seq === transition.seq && call.url === config.url && call.registeredAt === config.createdAt;
}

/** Undefined when the host was not called. */
function howItWent({ failure }: Outcome): HowItWent | undefined {
  if (failure === NO_CALLER) return undefined;
  if (failure === 'timeout') return 'hung';
  return failure === undefined || failure === 'redirect' ? 'answered' : 'failed';
}
