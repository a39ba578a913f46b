// The chokepoint: the sole consumer of `agent.prompt.request`. Guards decide, the ledger begins the turn, and only after
// the commit is the turn assigned. From the guards to the ledger's append nothing is awaited, so two requests can't pass
// a limit together.
import type { PromptAssigned, PromptRequest, Refusal } from '../../src/bus/topics.js';
import { toAppError, type AppError } from '../../src/errors.js';
import type { TaskRecord } from '../../src/ledger/records.js';
import { definePlugin, type PluginContext } from '../../src/plugin.js';
import { contextKey, Contexts, type Waiting } from './contexts.js';
import { targetOf, type Candidate, type Guard } from './guard.js';
import { busy } from './guards/busy.js';
import { duplicate } from './guards/duplicate.js';
import { loop } from './guards/loop.js';
import { permission } from './guards/permission.js';
import { quota } from './guards/quota.js';
import { target } from './guards/target.js';
import { StormWatch } from './storm-watch.js';

/** In this order; the first refusal counts. */
export const GUARDS: readonly Guard[] = [target, permission, duplicate, loop, quota, busy];

type Context = PluginContext<
  'agent.prompt.request' | 'agent.prompt.cancel' | 'agent.outcome',
  'agent.prompt.assigned' | 'agent.prompt.response' | 'agent.prompt.dropped'
>;

export const dispatcher = definePlugin({
  name: 'dispatcher',
  consumes: ['agent.prompt.request', 'agent.prompt.cancel', 'agent.outcome'],
  observes: [],
  produces: ['agent.prompt.assigned', 'agent.prompt.response', 'agent.prompt.dropped'],
  install(context) {
    const desk = new Dispatcher(context);
    return { ready: () => desk.resumeQueued() };
  },
});

class Dispatcher {
  private readonly contexts = new Contexts();
  private readonly storm = new StormWatch();

  constructor(private readonly context: Context) {
    const { bus } = context;
    bus.subscribe('agent.prompt.request', (request) => this.dispatch(request));
    bus.subscribe('agent.prompt.cancel', ({ cid }) => this.contexts.withdraw(cid));
    bus.subscribe('agent.outcome', ({ caller, agent, contextId, cid }) =>
      this.free(contextKey(caller, agent, contextId), cid, agent),
    );
  }

  /** Tasks that were accepted before a restart and never started. */
  async resumeQueued(): Promise<void> {
    const { ledger, registry } = this.context.core;
    for (const taskId of ledger.queued()) {
      const record = ledger.get(taskId);
      if (!record) continue;
      const { caller, agent, executor } = record.envelope;
      const found = registry.find(agent, caller.scope);
      const turn = waitingTurn(record, found?.executor.name ?? executor, 'named');
      const key = contextKey(caller.id, agent, record.task.contextId);
      if (this.contexts.runningIn(key) === undefined) await this.startWaiting(key, turn);
      else this.contexts.enqueue(key, turn);
    }
  }

  private dispatch(request: PromptRequest): void | Promise<void> {
    const { core } = this.context;
    const record = request.continues ? core.ledger.get(request.cid) : undefined;
    const candidate: Candidate = { request, record };
    for (const guard of GUARDS) {
      const verdict = guard.check(candidate, { core, contexts: this.contexts });
      if (!verdict) continue;
      if ('duplicateOf' in verdict) {
        const { cid, requestId } = request;
        return this.context.bus.publish('agent.prompt.response', {
          cid,
          turn: 0,
          requestId,
          duplicateOf: verdict.duplicateOf,
        });
      }
      const refusal = { rule: guard.name, ...verdict.refusal };
      this.drop(request, refusal, verdict.until);
      if (verdict.asTask && !request.continues) return this.reject(candidate, refusal);
      return this.refuse(request, refusal);
    }
    return this.admit(candidate).catch((error: unknown) => this.refuse(request, refusalOf(toAppError(error))));
  }

  private async admit(candidate: Candidate): Promise<void> {
    const { request, record } = candidate;
    const { ledger } = this.context.core;
    if (record) return this.admitFollowUp(candidate, record);
    const { agent, executor, reason } = targetOf(candidate);
    const key = contextKey(request.caller.id, agent.name, request.contextId);
    const start = candidate.queue !== true;
    if (start) this.contexts.start(key, request.cid, agent.name);
    let created: TaskRecord;
    try {
      created = await ledger.create({ ...newTask(candidate), start });
    } catch (error) {
      if (start) this.free(key, request.cid, agent.name);
      throw error;
    }
    const turn = waitingTurn(created, executor.name, reason);
    if (start) this.assign({ ...turn, turn: 1 });
    else if (this.contexts.runningIn(key) === undefined) await this.startWaiting(key, turn);
    else this.contexts.enqueue(key, turn);
  }

  private async admitFollowUp({ request, target }: Candidate, record: TaskRecord): Promise<void> {
    const { ledger } = this.context.core;
    const { cid, requestId, message, decision } = request;
    const { caller, agent } = record.envelope;
    const waitsForOperator = record.task.status.state === 'TASK_STATE_AUTH_REQUIRED';
    if (waitsForOperator && decision === undefined) {
      await ledger.resume({ taskId: cid, requestId, step: { message, start: false } });
      return;
    }
    const key = contextKey(caller.id, agent, record.task.contextId);
    this.contexts.start(key, cid, agent);
    try {
      const step = decision === undefined ? { message, start: true } : { decision };
      const resumed = await ledger.resume({ taskId: cid, requestId, step });
      const executor = target?.executor.name ?? record.envelope.executor;
      this.assign({ ...waitingTurn(resumed, executor, 'named'), ...deadline(request), turn: resumed.envelope.turn });
    } catch (error) {
      this.free(key, cid, agent);
      throw error;
    }
  }

  /** Starts a turn that waited. Its failure to start is told by the ledger; the next one gets its chance. */
  private async startWaiting(key: string, turn: Waiting): Promise<void> {
    this.contexts.start(key, turn.cid, turn.agent);
    try {
      const started = await this.context.core.ledger.startTurn(turn.cid);
      this.assign({ ...turn, turn: started.envelope.turn });
    } catch (error) {
      this.context.log.warn({ cid: turn.cid, err: error }, 'a waiting turn could not be started');
      this.free(key, turn.cid, turn.agent);
    }
  }

  private free(key: string, cid: string, agent: string): void {
    const next = this.contexts.release(key, cid, agent);
    if (next) void this.startWaiting(key, next);
  }

  private assign(assigned: PromptAssigned): void {
    this.context.bus.publish('agent.prompt.assigned', assigned);
  }

  private async reject(candidate: Candidate, refusal: Refusal): Promise<void> {
    try {
      const { code, message: text, details } = refusal;
      const retryAfter = details?.retryAfter;
      const rejected = { code, text, ...(retryAfter !== undefined && { retryAfter }) };
      await this.context.core.ledger.create({ ...newTask(candidate), start: false, rejected });
    } catch (error) {
      this.refuse(candidate.request, refusalOf(toAppError(error)));
    }
  }

  private refuse({ cid, requestId }: PromptRequest, refusal: Refusal): void {
    this.context.bus.publish('agent.prompt.response', { cid, turn: 0, requestId, refusal });
  }

  private drop(request: PromptRequest, { rule, code }: Refusal, until: number | undefined): void {
    const { cid, caller, agent } = request;
    this.context.bus.publish('agent.prompt.dropped', {
      cid,
      caller: caller.id,
      rule,
      code,
      ...(agent !== undefined && { agent }),
      ...(until !== undefined && { until }),
    });
    const change = this.storm.record(this.context.core.clock.now());
    if (change === 'begins') this.context.log.warn({ rule, caller: caller.id }, 'many requests are being refused');
    if (change === 'ends') this.context.log.info('refusals are back to normal');
  }
}

function newTask(candidate: Candidate) {
  const { request } = candidate;
  const { agent, executor } = targetOf(candidate);
  const { cid, requestId, contextId, caller, message, surface, chain, subject, synthetic, traceparent } = request;
  const skill = request.skill ?? candidate.skill;
  return {
    taskId: cid,
    requestId,
    contextId,
    caller,
    message,
    surface,
    chain,
    agent: agent.name,
    executor: executor.name,
    ...(skill !== undefined && { skill }),
    ...(subject !== undefined && { subject }),
    ...(synthetic && { synthetic }),
    ...(traceparent !== undefined && { traceparent }),
    ...deadline(request),
  };
}

function waitingTurn({ task, envelope }: TaskRecord, executor: string, reason: PromptAssigned['reason']): Waiting {
  const { caller, agent, chain, skill, traceparent, synthetic, deadlineAt } = envelope;
  return {
    cid: task.id,
    executor,
    agent,
    reason,
    contextId: task.contextId,
    caller,
    chain,
    ...(skill !== undefined && { skill }),
    ...(traceparent !== undefined && { traceparent }),
    ...(synthetic && { synthetic }),
    ...(deadlineAt !== undefined && { deadlineAt }),
  };
}

const deadline = ({ deadlineAt }: PromptRequest): { deadlineAt?: number } =>
  deadlineAt === undefined ? {} : { deadlineAt };

const refusalOf = ({ code, message, details }: AppError): Refusal => ({ rule: 'admission', code, message, details });
