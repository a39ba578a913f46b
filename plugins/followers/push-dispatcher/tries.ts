// One webhook's tries: which change it is to be told of now, the call, and what came of it made durable. How a call went is
// kept until it is stored, so that storage that fails has a receiver called no second time.
import type { PushAttempt, PushDead, PushDisabled, PushFailed } from '../../../src/bus/topics.js';
import { owedTransitions } from '../../../src/ledger/owed-webhooks.js';
import type { Ledger } from '../../../src/ledger/ledger-port.js';
import type { Logger } from '../../../src/log.js';
import type { Core } from '../../../src/plugin.js';
import { attempt, type AttemptPorts, type Due } from './attempt.js';
import { candidateKey, type Candidate } from './candidates.js';
import { verdictOf, type Outcome } from './retry-schedule.js';
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

export type HowItWent = Parameters<Seat['leave']>[0];

/** `attempt`: which try for this change it is, from 1. */
export type DueTry = Due & { attempt: number };

/** How a call went, and what it was about. */
interface Answered {
  seq: number;
  url: string;
  registeredAt: number;
  outcome: Outcome;
  begun: number;
}

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
    const scheduled = ledger.pushSchedule.find(taskId, configId);
    const same = scheduled?.seq === transition.seq && scheduled.registeredAt === config.createdAt;
    const failed = same ? scheduled.attempts : 0;
    if (failed > 0 && scheduled && scheduled.nextAt > clock.now()) return undefined;
    return { record, config, transition, attempt: failed + 1 };
  }

  /** Calls, unless that was done and only storing it failed. Rejects for reasons of our own, e.g. a full disk. */
  async make(due: DueTry, signal: AbortSignal, went: (how: HowItWent) => void): Promise<void> {
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
    const begun = this.deps.core.clock.now();
    const outcome = await attempt(this.deps.core, due, signal);
    const { transition, config } = due;
    return outcome && { seq: transition.seq, url: config.url, registeredAt: config.createdAt, outcome, begun };
  }

  /** Makes durable what came of a try, and tells of it. */
  private async settle(due: DueTry, { outcome, begun }: Answered): Promise<void> {
    const { record, config, transition, attempt: n } = due;
    const { ledger, clock } = this.deps.core;
    const { seq, state } = transition;
    const [taskId, configId, caller] = [record.task.id, config.id, record.envelope.caller.id];
    const { status } = outcome;
    const durationMs = clock.now() - begun;
    const verdict = verdictOf(outcome, n, this.deps.random());
    const told = {
      taskId,
      configId,
      caller,
      seq,
      state,
      attempt: n,
      durationMs,
      ...(status !== undefined && { status }),
    };
    const { caller: _caller, ...rest } = told;
    const tried = { ...rest, at: begun };
    if (verdict.kind === 'delivered') {
      await ledger.pushConfigs.acknowledge(taskId, configId, seq);
      ledger.pushSchedule.record(tried);
      this.deps.tell.delivered(told);
      return;
    }
    const failed = { ...told, reason: verdict.reason };
    ledger.pushSchedule.record({ ...tried, reason: verdict.reason });
    this.deps.log.info({ cid: taskId, configId, seq, status, reason: failed.reason }, 'a webhook could not be told');
    this.deps.tell.failed(failed);
    // What failed may have been replaced meanwhile: the one in its place has its own chance, and at once.
    const now = ledger.get(taskId)?.envelope.pushConfigs?.find(({ id }) => id === configId);
    if (now?.createdAt !== config.createdAt || now.url !== config.url) return;
    if (verdict.kind === 'retry') {
      const nextAt = clock.now() + verdict.waitMs;
      ledger.pushSchedule.postpone({ taskId, configId, seq, attempts: n, nextAt });
      this.postponed(nextAt);
      return;
    }
    if (verdict.kind === 'gone') {
      await ledger.pushConfigs.disable(taskId, configId, 'gone');
      this.deps.tell.disabled({ taskId, configId, caller, by: 'gone' });
    } else {
      const letter = { seq, attempts: n, reason: verdict.reason, ...(status !== undefined && { status }) };
      await ledger.pushConfigs.giveUp(taskId, configId, letter);
      this.deps.tell.dead(failed);
    }
  }
}

/** False when the webhook was replaced meanwhile: the one in its place was not called. */
function isAbout(call: Answered, { transition, config }: Due): boolean {
  return call.seq === transition.seq && call.url === config.url && call.registeredAt === config.createdAt;
}

function howItWent({ failure }: Outcome): HowItWent {
  if (failure === 'timeout') return 'hung';
  return failure === undefined || failure === 'redirect' ? 'answered' : 'failed';
}
