// The executors in the order they registered, and the agents they serve.
import type { Conversation } from '../bus/parties.js';
import type { Logger } from '../log.js';
import type { AgentInfo, Executor } from './contract.js';
import type { AgentRegistry, ResolvedAgent } from './registry-port.js';

export class ExecutorRegistry implements AgentRegistry {
  private executors = new Map<string, Executor>();
  private readonly last = new Set<Executor>();
  private readonly reportedTwice = new Set<string>();

  constructor(private readonly log: Logger) {}

  register(executor: Executor): void {
    if (this.executors.has(executor.name)) throw new Error(`there is already an executor named ${executor.name}`);
    this.executors.set(executor.name, executor);
    const inOrder = [...this.executors].sort(([, a], [, b]) => Number(this.last.has(a)) - Number(this.last.has(b)));
    this.executors = new Map(inOrder);
  }

  registerLast(executor: Executor): void {
    this.last.add(executor);
    this.register(executor);
  }

  executor(name: string): Executor | undefined {
    return this.executors.get(name);
  }

  /** True while some executor keeps a session of that conversation open. */
  isOpen(conversation: Conversation): boolean {
    return [...this.executors.values()].some((executor) => executor.isOpen?.(conversation));
  }

  find(name: string, scope: string): ResolvedAgent | undefined {
    for (const executor of this.executors.values()) {
      const agent = this.ask(executor, () => executor.find(name, scope));
      if (agent) return { agent, executor };
    }
    return undefined;
  }

  list(scope: string): ResolvedAgent[] {
    const byName = new Map<string, ResolvedAgent>();
    for (const executor of this.executors.values()) {
      for (const agent of this.ask(executor, () => executor.list(scope)) ?? []) {
        if (byName.has(agent.name)) this.reportTwice(agent, executor);
        else byName.set(agent.name, { agent, executor });
      }
    }
    return [...byName.values()];
  }

  /** An executor that can't say what it serves serves nothing at this moment, and harms no other. */
  private ask<T>(executor: Executor, question: () => T): T | undefined {
    try {
      return question();
    } catch (error) {
      this.log.error({ executor: executor.name, err: error }, 'an executor could not say which agents it serves');
      return undefined;
    }
  }

  private reportTwice(agent: AgentInfo, executor: Executor): void {
    const which = `${executor.name} ${agent.name}`;
    if (this.reportedTwice.has(which)) return;
    this.reportedTwice.add(which);
    this.log.warn(
      { agent: agent.name, executor: executor.name },
      'this name is taken already; the later agent is ignored',
    );
  }
}
