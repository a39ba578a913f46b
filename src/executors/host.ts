// The host runs executors and gives every turn exactly one end: from the run's settlement, its deadline, a cancel, or
// the lack of an executor. `agent.outcome` follows once the run has really settled, which is when its context is free.
import type { BusHandle } from '../bus/bus.js';
import type { Progress, PromptAssigned, PromptCancel } from '../bus/topics.js';
import type { Clock, NewId } from '../clock.js';
import type { TaskState } from '../a2a-model.js';
import { clipped, errorText, readable } from '../errors.js';
import type { Ledger } from '../ledger/ledger-port.js';
import type { TaskRecord } from '../ledger/records.js';
import type { Logger } from '../log.js';
import { redactedValue } from '../secrets/redacted-value.js';
import { assignedOf } from './assigned-of.js';
import { RunFailure, type Executor, type RunOutcome } from './contract.js';
import type { AgentRegistry } from './registry-port.js';
import { endOfOutcome, endOfThrow, failedEnd, promptOf, Run, type TurnEnd } from './run.js';
import type { OpenTurn, Turns } from './turns.js';

export const HOST_DECLARATION = {
  name: 'executor-host',
  consumes: ['agent.prompt.assigned', 'agent.prompt.cancel'],
  observes: [],
  produces: [
    'agent.prompt.progress',
    'agent.prompt.input.request',
    'agent.prompt.response',
    'agent.prompt.delegated',
    'agent.outcome',
  ],
} as const;

type HostBus = BusHandle<(typeof HOST_DECLARATION)['consumes'][number], (typeof HOST_DECLARATION)['produces'][number]>;

/** An aborted run may take this long to settle before its executor is asked to discard it. */
const SETTLE_MS = 5_000;

interface HostDeps {
  bus: HostBus;
  registry: AgentRegistry;
  ledger: Pick<Ledger, 'get' | 'isRunning'>;
  /** Takes secrets out of every text that a run shows: callers will read it. */
  redact(text: string): string;
  clock: Clock;
  newId: NewId;
  log: Logger;
  /** Milliseconds a turn may take when its prompt names no deadline. */
  turnDeadlineMs: number;
}

export class ExecutorHost implements Turns {
  private readonly runs = new Map<string, Run>();
  private readonly lookers: ((cid: string) => Promise<void>)[] = [];
  private idle: (() => void) | undefined;

  constructor(private readonly deps: HostDeps) {
    deps.bus.subscribe('agent.prompt.assigned', (assigned) => this.start(assigned));
    deps.bus.subscribe('agent.prompt.cancel', (cancel) => this.cancel(cancel));
  }

  /** Turns whose run has not settled. Those that go on elsewhere are not among them: the next process follows them. */
  get running(): number {
    return this.here().length;
  }

  adopt(cid: string, turn: number): OpenTurn | undefined {
    const record = this.deps.ledger.get(cid);
    if (!record?.envelope.watch || !this.deps.ledger.isRunning(cid, turn)) return undefined;
    const known = this.runs.get(cid);
    if (known && (known.assigned.turn !== turn || !known.delegated)) return undefined;
    const run = known ?? this.open(assignedOf(record), record);
    run.delegated = true;
    run.answered ||= record.task.artifacts.length > 0;
    const end = (outcome: RunOutcome): void => this.finish(run, endOfOutcome(outcome, run));
    return { prompt: run.prompt, handle: run, end };
  }

  async look(cid: string, signal: AbortSignal): Promise<void> {
    const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    await Promise.race([Promise.all(this.lookers.map((looker) => looker(cid))), aborted]);
  }

  onLook(looker: (cid: string) => Promise<void>): void {
    this.lookers.push(looker);
  }

  /** Waits up to `graceMs` for running turns, then ends them as interrupted. */
  async stop(graceMs: number): Promise<void> {
    if (this.running > 0) {
      await new Promise<void>((resolve) => {
        const cancelTimer = this.deps.clock.after(graceMs, resolve);
        this.idle = () => {
          cancelTimer();
          resolve();
        };
      });
    }
    for (const run of this.here()) {
      // What was sent may be worked on there: the next process finds out.
      if (this.deps.ledger.get(run.assigned.cid)?.envelope.watch) continue;
      this.end(run, failedEnd('interrupted', 'The server stopped while this task was running.'));
      run.controller.abort();
    }
  }

  private start(assigned: PromptAssigned): void {
    const { ledger, registry, clock } = this.deps;
    const { cid, turn } = assigned;
    const record = ledger.get(cid);
    if (!record) return;
    // Canceled while the turn's start was on its way: nothing runs, and the context is free.
    if (!ledger.isRunning(cid, turn)) return this.publishOutcome(assigned, 'TASK_STATE_CANCELED', 0);
    const run = this.open(assigned, record);
    const executor = registry.executor(assigned.executor);
    if (!executor) {
      this.end(run, failedEnd('no-executor', 'Nothing is installed here that can run this agent.'));
      return this.settled(run, 'TASK_STATE_FAILED');
    }
    const usualMs = executor.turnDeadlineMs ?? this.deps.turnDeadlineMs;
    const deadlineMs = assigned.deadlineAt === undefined ? usualMs : assigned.deadlineAt - clock.now();
    const cancelDeadline = clock.after(Math.max(0, deadlineMs), () => {
      this.abort(run, failedEnd('deadline', 'The agent did not finish in time.'));
    });
    void this.endOf(run, executor).then((end) => {
      cancelDeadline();
      if (end) this.finish(run, end);
      else this.letGo(run);
    });
  }

  /** Undefined when the work goes on elsewhere. Never rejects, whatever the executor does. */
  private async endOf(run: Run, executor: Executor): Promise<TurnEnd | undefined> {
    try {
      const outcome = await executor.run(run.prompt, run);
      return this.handsOn(run, outcome) ? undefined : endOfOutcome(outcome, run);
    } catch (thrown) {
      const error = readable(thrown);
      if (!run.ended && !(error instanceof RunFailure)) this.logCrash(run, error);
      return endOfThrow(error);
    }
  }

  private open(assigned: PromptAssigned, record: TaskRecord): Run {
    const { bus, clock } = this.deps;
    const { cid, turn } = assigned;
    const show = (progress: Progress): void =>
      bus.publish('agent.prompt.progress', { cid, turn, ...redactedValue(progress, this.deps.redact) });
    const run = new Run(assigned, promptOf(record, assigned), clock.now(), show, record.envelope.direct);
    this.runs.set(cid, run);
    return run;
  }

  /** True when the work goes on elsewhere, and somebody can follow it there. */
  private handsOn({ assigned: { cid, turn }, ended }: Run, outcome: RunOutcome | undefined): boolean {
    if (outcome?.kind !== 'delegated' || ended) return false;
    const { ledger } = this.deps;
    return ledger.isRunning(cid, turn) && ledger.get(cid)?.envelope.watch !== undefined;
  }

  private letGo(run: Run): void {
    run.flush();
    run.delegated = true;
    const { cid, turn, executor } = run.assigned;
    const watch = this.deps.ledger.get(cid)?.envelope.watch;
    if (!watch) return this.finish(run, failedEnd('invalid-answer', 'The agent handed its work on to nobody.'));
    const { id: watchId, agent } = watch;
    this.deps.bus.publish('agent.prompt.delegated', { cid, turn, executor, agent, watchId });
    if (this.running === 0) this.idle?.();
  }

  private here(): Run[] {
    return [...this.runs.values()].filter((run) => !run.delegated);
  }

  /** What is known to be worked on elsewhere is canceled there, by whoever follows it. */
  private cancel({ cid }: PromptCancel): void {
    const run = this.runs.get(cid);
    if (!run || this.deps.ledger.get(cid)?.envelope.watch?.state === 'following') return;
    this.abort(run, { topic: 'agent.prompt.response', payload: { state: 'TASK_STATE_CANCELED' } });
  }

  /** Ends the turn now and sees to it that the run behind it stops. */
  private abort(run: Run, end: TurnEnd): void {
    if (run.ended) return;
    this.end(run, end);
    run.controller.abort();
    if (run.delegated) return this.settled(run, stateOf(end));
    this.deps.clock.after(SETTLE_MS, () => {
      if (this.runs.get(run.assigned.cid) !== run) return;
      const { cid, executor, agent } = run.assigned;
      const discard = this.deps.registry.executor(executor)?.discard;
      this.deps.log.warn({ cid, executor, agent, discarded: discard !== undefined }, 'an aborted run has not settled');
      if (!discard) return;
      try {
        discard.call(this.deps.registry.executor(executor), run.prompt);
      } catch (error) {
        this.logCrash(run, error);
      }
      this.settled(run, stateOf(end));
    });
  }

  private finish(run: Run, end: TurnEnd): void {
    this.end(run, end);
    this.settled(run, stateOf(end));
  }

  /** Publishes the turn's one end. */
  private end(run: Run, end: TurnEnd): void {
    if (run.ended) return;
    run.flush();
    run.ended = true;
    const { cid, turn } = run.assigned;
    if (end.topic === 'agent.prompt.response') {
      const durationMs = this.deps.clock.now() - run.startedAt;
      const payload = redactedValue(end.payload, this.deps.redact);
      const { error } = payload;
      const shortened = error && { error: { ...error, text: clipped(error.text) } };
      this.deps.bus.publish(end.topic, { cid, turn, durationMs, ...payload, ...shortened });
    } else {
      const payload = redactedValue(end.payload, this.deps.redact);
      this.deps.bus.publish(end.topic, { cid, turn, requestId: this.deps.newId(), ...payload });
    }
  }

  private settled(run: Run, state: TaskState): void {
    if (this.runs.get(run.assigned.cid) !== run) return;
    this.runs.delete(run.assigned.cid);
    this.publishOutcome(run.assigned, state, this.deps.clock.now() - run.startedAt);
    if (this.running === 0) this.idle?.();
  }

  private publishOutcome(assigned: PromptAssigned, state: TaskState, durationMs: number): void {
    const { cid, turn, executor, agent, skill, caller, contextId, synthetic } = assigned;
    this.deps.bus.publish('agent.outcome', {
      cid,
      turn,
      executor,
      agent,
      caller: caller.id,
      contextId,
      state,
      durationMs,
      ...(skill !== undefined && { skill }),
      ...(synthetic && { synthetic }),
    });
  }

  private logCrash(run: Run, error: unknown): void {
    const { cid, turn, executor, agent } = run.assigned;
    this.deps.log.error({ cid, turn, executor, agent, err: error, reason: errorText(error) }, 'a run failed');
  }
}

function stateOf(end: TurnEnd): TaskState {
  if (end.topic === 'agent.prompt.response') return end.payload.state;
  return end.payload.from === 'caller' ? 'TASK_STATE_INPUT_REQUIRED' : 'TASK_STATE_AUTH_REQUIRED';
}
