// Serves the agents of plugins: one name each, one function each. What a function does wrong fails its own turn, is told
// in the plugin's name, and harms nobody else.
import type { AgentDefinition, AgentPrompt, WorkHandle } from '../../../src/authoring/agent-definition.js';
import { AppError, errorText, readable } from '../../../src/errors.js';
import {
  RunFailure,
  type AgentInfo,
  type Executor,
  type Prompt,
  type RunHandle,
  type RunOutcome,
} from '../../../src/executors/contract.js';
import type { Adder } from '../../../src/extensions.js';
import type { Core } from '../../../src/plugin.js';
import { checkDefinition, infoOf } from './check-definition.js';
import { AgentRun, type Calls, type RunPorts } from './agent-run.js';
import type { Unwinding } from './unwinding.js';

interface AgentExecutorDeps {
  core: RunPorts['core'] & { registry: Pick<Core['registry'], 'find'> };
  log: Core['log'];
  calls: Calls;
}

interface Registered {
  definition: AgentDefinition;
  info: AgentInfo;
  by: Adder;
}

export class AgentExecutor implements Executor {
  readonly name = 'plugin-agents';
  private readonly agents = new Map<string, Registered>();

  constructor(private readonly deps: AgentExecutorDeps) {}

  /** Throws an Error that says what is wrong with the definition. The returned function takes the agent out again. */
  add(definition: AgentDefinition, by: Adder): () => void {
    checkDefinition(definition);
    const { name } = definition;
    // From the operator's scope everything is visible that has a name here.
    if (this.agents.has(name) || this.deps.core.registry.find(name, 'operator')) {
      throw new Error(`there is already an agent named ${name}`);
    }
    this.agents.set(name, { definition, info: infoOf(definition, by), by });
    return () => void this.agents.delete(name);
  }

  find(agent: string): AgentInfo | undefined {
    return this.agents.get(agent)?.info;
  }

  list(): AgentInfo[] {
    return [...this.agents.values()].map(({ info }) => info);
  }

  async run(prompt: Prompt, handle: RunHandle): Promise<RunOutcome> {
    const agent = this.agents.get(prompt.agent);
    if (!agent) throw new RunFailure('This agent is not here any more.', 'no-agent');
    const { definition, by } = agent;
    const { core, log, calls } = this.deps;
    const own = log.child({ plugin: by.plugin, agent: prompt.agent, cid: prompt.cid });
    const run = new AgentRun(prompt, handle, { core, calls, log: own, plugin: by.plugin });
    try {
      // As it was decided when the task began, whatever the definition says by now.
      const direct = core.ledger.get(prompt.taskId)?.envelope.direct === true;
      const work = definition.run as (prompt: AgentPrompt, handle: WorkHandle) => ReturnType<AgentDefinition['run']>;
      const answer = await Promise.race([
        work.call(definition, run.prompt, direct ? run.workHandle() : run.agentHandle()),
        // A function that swallows what stops it is not waited for.
        failureOf(run.tooMuch),
      ]);
      if (run.tooMuch.aborted) return this.stopped(run, by);
      return run.unwound ? this.swallowed(run, by) : run.outcome(answer);
    } catch (error) {
      return this.endOf(error, run, agent);
    } finally {
      run.end();
    }
  }

  /** The context is free although the function goes on: what it still does has no effect. */
  discard(prompt: Prompt): void {
    const by = this.agents.get(prompt.agent)?.by;
    by?.failed(`its agent ${prompt.agent} did not stop when it was told to; task ${prompt.cid} goes on without it`);
  }

  private endOf(thrown: unknown, run: AgentRun, { by, info }: Registered): RunOutcome {
    const { unwound, tooMuch } = run;
    if (tooMuch.aborted) return this.stopped(run, by);
    if (unwound) return thrown === unwound ? unwound.outcome : this.swallowed(run, by);
    const error = readable(thrown);
    if (run.aborted) return { kind: 'failed', text: 'The run was cancelled.', code: 'cancelled' };
    if (error instanceof RunFailure || error instanceof AppError) {
      return { kind: 'failed', text: error.message, code: error.code };
    }
    by.failed(`its agent ${info.name} failed: ${errorText(error)}`, error);
    return { kind: 'failed', text: 'The run failed unexpectedly.', code: 'unexpected' };
  }

  private stopped({ agent, tooMuch }: AgentRun, by: Adder): RunOutcome {
    const { message, code } = tooMuch.reason as RunFailure;
    by.failed(`its agent ${agent} was stopped: it showed more than one turn may (see docs/limits.md)`);
    return { kind: 'failed', text: message, code };
  }

  /** What the function did after the question went unanswered is worth nothing: it took no answer for one. */
  private swallowed(run: AgentRun, by: Adder): RunOutcome {
    const { what } = run.unwound as Unwinding;
    by.failed(`its agent ${run.agent} caught what ${what} threw: code around it must let an Unwinding pass`);
    return { kind: 'failed', text: 'The agent lost its own question.', code: 'question-lost' };
  }
}

const failureOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as RunFailure), { once: true });
  });
