// The chokepoint: the sole consumer of `agent.prompt.request`. Guards decide, the ledger begins the turn, and only after
// the commit is the turn assigned. From the guards to the ledger's append nothing is awaited, so two requests can't pass
// a limit together.
import type { PromptAssigned, PromptRequest, Refusal } from '../../src/bus/topics.js';
import { isTerminal } from '../../src/a2a-model.js';
import { toAppError } from '../../src/errors.js';
import { assignedOf } from '../../src/executors/assigned-of.js';
import type { TaskRecord } from '../../src/ledger/records.js';
import { definePlugin, type PluginContext } from '../../src/plugin.js';
import { contextKey, Contexts } from './contexts.js';
import { targetOf, type Candidate, type Guard } from './guard.js';
import { addGuard, type AddedGuard } from './added-guards.js';
import { Cooldowns } from './cooldowns.js';
import { added } from './guards/added.js';
import { approval } from './guards/approval.js';
import { busy } from './guards/busy.js';
import { cooldown } from './guards/cooldown.js';
import { duplicate } from './guards/duplicate.js';
import { loop } from './guards/loop.js';
import { permission } from './guards/permission.js';
import { quota } from './guards/quota.js';
import { storage } from './guards/storage.js';
import { target } from './guards/target.js';
import { approvalQuestion, deadline, newTask } from './new-task.js';
import { agentOf } from './resolve.js';
import { resumeCooldowns } from './resume-cooldowns.js';
import { StormWatch } from './storm-watch.js';
import { WaitingTurns } from './waiting-turns.js';

/** In this order; the first refusal counts. */
export const GUARDS: readonly Guard[] = [
  target,
  permission,
  duplicate,
  loop,
  storage,
  quota,
  busy,
  cooldown,
  added,
  approval,
];

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
    const { extensions, secrets } = context.core;
    const redact = (text: string): string => secrets.redact(text);
    extensions.accept('guard', (guard, { failed }) => addGuard(desk.added, guard, { failed, redact }));
    return { ready: () => desk.resume(), drain: () => desk.drain() };
  },
});

class Dispatcher {
  private readonly contexts = new Contexts();
  private readonly turns: WaitingTurns;
  private readonly storm = new StormWatch();
  private readonly cooldowns: Cooldowns;
  readonly added: AddedGuard[] = [];

  constructor(private readonly context: Context) {
    const { bus } = context;
    this.cooldowns = new Cooldowns(context.core.config.cooldown);
    this.turns = new WaitingTurns(context, this.contexts);
    bus.subscribe('agent.prompt.request', (request) => this.dispatch(request));
    bus.subscribe('agent.prompt.cancel', ({ cid }) => this.contexts.withdraw(cid));
    bus.subscribe('agent.outcome', ({ caller, agent, contextId, cid }) =>
      this.turns.free(contextKey(caller, agent, contextId), cid, agent),
    );
  }

  /** Takes up what the last process knew. */
  async resume(): Promise<void> {
    const { ledger, clock } = this.context.core;
    resumeCooldowns(this.cooldowns, ledger, clock.now());
    this.occupyFollowed();
    await this.resumeQueued();
  }

  /** Tasks that were accepted before a restart and never started wait again, each in its context. */
  private async resumeQueued(): Promise<void> {
    const { ledger, registry } = this.context.core;
    const keys = new Set<string>();
    for (const taskId of ledger.queued()) {
      const record = ledger.get(taskId);
      if (!record) continue;
      const { caller, agent } = record.envelope;
      const found = agentOf(record, registry);
      if (!found) this.endUnstarted(taskId, 'The agent is not here any more.');
      else {
        const key = contextKey(caller.id, agent, record.task.contextId);
        this.contexts.enqueue(key, assignedOf(record, found.executor.name));
        keys.add(key);
      }
    }
    for (const key of keys) await this.turns.startNext(key);
  }

  /** Turns that go on elsewhere keep their contexts busy, as before the restart. */
  private occupyFollowed(): void {
    const { ledger } = this.context.core;
    for (const { taskId } of ledger.watches.all()) {
      const record = ledger.get(taskId);
      if (!record?.envelope.turnOpen) continue;
      const { caller, agent } = record.envelope;
      this.contexts.start(contextKey(caller.id, agent, record.task.contextId), taskId, agent);
    }
  }

  /** From now on nothing that waits is started: it is there after the restart. */
  drain(): void {
    this.turns.drain();
  }

  /** Whatever goes wrong, the one who asked hears of it. */
  private async dispatch(request: PromptRequest): Promise<void> {
    try {
      await this.decide(request);
    } catch (error) {
      const known = toAppError(error);
      if (known.code === 'internal')
        this.context.log.error({ cid: request.cid, err: error }, 'a request could not be dispatched');
      this.refuse(request, { rule: 'admission', code: known.code, message: known.message, details: known.details });
    }
  }

  private decide(request: PromptRequest): void | Promise<void> {
    const { core } = this.context;
    const record = request.continues ? core.ledger.get(request.cid) : undefined;
    const candidate: Candidate = { request, record };
    const { contexts, cooldowns, added } = this;
    const ports = { core, contexts, cooldowns, added };
    for (const guard of GUARDS) {
      const verdict = guard.check(candidate, ports);
      if (!verdict) continue;
      if ('duplicateOf' in verdict) return this.pointTo(verdict.duplicateOf, request);
      if ('declineAtOnce' in verdict) return this.declineAtOnce(request);
      const refusal = { rule: verdict.rule ?? guard.name, ...verdict.refusal };
      this.drop(request, refusal, verdict.until);
      if (verdict.asTask && !request.continues) return this.reject(candidate, refusal);
      return this.refuse(request, refusal);
    }
    return record ? this.admitFollowUp(candidate, record) : this.admit(candidate);
  }

  /** The first message may still be on its way to the journal, and may fail there: then this one counts. */
  private async pointTo(taskId: string, request: PromptRequest): Promise<void> {
    const { ledger } = this.context.core;
    const committed = await ledger.committed(taskId);
    if (!ledger.findMessage(request.caller, request.message.messageId)) return this.decide(request);
    const { cid, requestId } = request;
    if (!committed) {
      const message = 'The task that took this message is gone; send it under a new messageId.';
      return this.refuse(request, { rule: 'duplicate', code: 'unsupported-operation', message });
    }
    this.context.bus.publish('agent.prompt.response', { cid, turn: 0, requestId, duplicateOf: taskId });
  }

  private async admit(candidate: Candidate): Promise<void> {
    const { request } = candidate;
    const { agent } = targetOf(candidate);
    const key = contextKey(request.caller.id, agent.name, request.contextId);
    const work = { ...request, agent: agent.name, skill: request.skill ?? candidate.skill };
    const delivered = request.surface === 'delivery';
    const takeBack = delivered ? () => undefined : this.cooldowns.start(work, this.context.core.clock.now());
    try {
      await this.begin(candidate, key);
    } catch (error) {
      takeBack();
      throw error;
    }
  }

  /** Creates the task; its first turn starts now, or once its context is free, or once the operator approves. */
  private async begin(candidate: Candidate, key: string): Promise<void> {
    const { request } = candidate;
    const { ledger, prompts } = this.context.core;
    const { agent, executor, reason } = targetOf(candidate);
    if (candidate.approval) {
      const approval = approvalQuestion(this.context.core.newId(), candidate);
      await ledger.create({ ...newTask(candidate, prompts), start: false, approval });
      return;
    }
    if (candidate.queue) {
      const queued = await ledger.create({ ...newTask(candidate, prompts), start: false });
      this.contexts.enqueue(key, assignedOf(queued, executor.name, reason));
      return this.turns.startNext(key);
    }
    this.contexts.start(key, request.cid, agent.name);
    try {
      const created = await ledger.create({ ...newTask(candidate, prompts), start: true });
      this.assign(assignedOf(created, executor.name, reason));
    } catch (error) {
      this.turns.free(key, request.cid, agent.name);
      throw error;
    }
  }

  private async admitFollowUp({ request, target }: Candidate, record: TaskRecord): Promise<void> {
    const { ledger, prompts } = this.context.core;
    const { cid, requestId, message, decision } = request;
    const pushConfig = prompts.pushConfigOf(requestId);
    const { caller, agent } = record.envelope;
    const by = request.caller.id === caller.id ? {} : { by: request.caller.id };
    const words = { message, ...by, ...(pushConfig && { pushConfig }) };
    const waitsForOperator = record.task.status.state === 'TASK_STATE_AUTH_REQUIRED';
    if (waitsForOperator && decision === undefined) {
      await ledger.resume({ taskId: cid, requestId, step: { ...words, start: false } });
      return;
    }
    const key = contextKey(caller.id, agent, record.task.contextId);
    this.contexts.start(key, cid, agent);
    try {
      const step = decision === undefined ? { ...words, start: true } : { decision };
      const resumed = await ledger.resume({ taskId: cid, requestId, step });
      if (isTerminal(resumed.task.status.state)) return this.turns.free(key, cid, agent);
      const executor = target?.executor.name ?? record.envelope.executor;
      this.assign({ ...assignedOf(resumed, executor), ...deadline(request) });
    } catch (error) {
      this.turns.free(key, cid, agent);
      throw error;
    }
  }

  private async declineAtOnce({ cid, requestId }: PromptRequest): Promise<void> {
    const step = { decision: 'decline', gone: true } as const;
    await this.context.core.ledger.resume({ taskId: cid, requestId, step });
  }

  /** A task that waited and can't be started ends with a reason. */
  private endUnstarted(cid: string, text: string): void {
    const error = { code: 'no-agent', text };
    this.context.bus.publish('agent.prompt.response', { cid, turn: 1, state: 'TASK_STATE_FAILED', error });
  }

  private assign(assigned: PromptAssigned): void {
    this.context.bus.publish('agent.prompt.assigned', assigned);
  }

  private async reject(candidate: Candidate, { code, message: text, details }: Refusal): Promise<void> {
    const retryAfter = details?.retryAfter;
    const rejected = { code, text, ...(retryAfter !== undefined && { retryAfter }) };
    const { ledger, prompts } = this.context.core;
    await ledger.create({ ...newTask(candidate, prompts), start: false, rejected });
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
