// Which agents exist and who runs them, across all executors.
import type { AgentInfo, Executor } from './contract.js';

export interface ResolvedAgent {
  agent: AgentInfo;
  executor: Executor;
}

export interface AgentRegistry {
  /** Executors are asked in the order they registered; the first that knows a name has it. */
  register(executor: Executor): void;
  /** As `register`, but it is asked after all others, whenever they come. */
  registerLast(executor: Executor): void;
  find(agent: string, scope: string): ResolvedAgent | undefined;
  /** All agents visible from a scope, one per name. */
  list(scope: string): ResolvedAgent[];
  executor(name: string): Executor | undefined;
}
