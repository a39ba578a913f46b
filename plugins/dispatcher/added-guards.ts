// Guards of plugins, made safe: whatever one of them does, the dispatcher gets a decision.
import type { PromptRequest, Refusal } from '../../src/bus/topics.js';
import { clipped, errorText } from '../../src/errors.js';
import type { AgentInfo } from '../../src/executors/contract.js';
import type { GuardedPrompt, PromptGuard } from '../../src/executors/prompt-guard.js';
import { NAME, NAME_RULE } from '../../src/workspace/names.js';

const CODES = ['forbidden', 'invalid-params', 'quota', 'cooldown'] as const;

/** Characters of a refusal. */
const MOST_WORDS = 1_000;

export interface GuardReports {
  failed(problem: string, thrown?: unknown): void;
  /** Takes secrets out of what a guard says: whoever asked will read it. */
  redact(text: string): string;
}

export class AddedGuard {
  readonly rule: string;
  /** Undefined: all of them. */
  private readonly agents: readonly string[] | undefined;

  /** Throws an Error that says what is wrong with the guard. */
  constructor(
    private readonly guard: PromptGuard,
    private readonly reports: GuardReports,
  ) {
    if (typeof guard?.check !== 'function') throw new Error('a guard needs a function check');
    if (!NAME.test(String(guard.name))) throw new Error(`the name of a guard ${NAME_RULE}`);
    const { agents } = guard as { agents?: unknown };
    if (agents !== undefined && !isNames(agents)) throw new Error('agents must be a list of names');
    this.rule = guard.name;
    this.agents = agents && [...agents];
  }

  /** Undefined when the guard has nothing against the prompt. Never throws. */
  look(request: PromptRequest, agent: AgentInfo, skill: string | undefined): Omit<Refusal, 'rule'> | undefined {
    if (this.agents && !this.agents.includes(agent.name)) return undefined;
    try {
      return this.read(this.guard.check(promptOf(request, agent, skill)));
    } catch (error) {
      this.reports.failed(`its guard ${this.rule} failed: ${errorText(error)}`, error);
      return { code: 'forbidden', message: 'This can not be decided now.' };
    }
  }

  private read(verdict: unknown): Omit<Refusal, 'rule'> | undefined {
    if (verdict === undefined) return undefined;
    const { message, code = 'forbidden', retryAfter } = (verdict ?? {}) as Record<string, unknown>;
    const known = CODES.find((one) => one === code);
    if (typeof message !== 'string' || known === undefined) {
      // What it says too late is nobody's.
      void Promise.resolve(verdict).catch(() => undefined);
      throw new Error('it must return undefined, or a message with a known code, and at once');
    }
    const wait = typeof retryAfter === 'number' && Number.isFinite(retryAfter) && retryAfter > 0;
    return {
      code: known,
      message: clipped(this.reports.redact(message), MOST_WORDS),
      ...(wait && { details: { retryAfter: Math.ceil(retryAfter) } }),
    };
  }
}

const isNames = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((name) => typeof name === 'string');

/** Adds a plugin's guard at the end; the returned function takes it out again. */
export function addGuard(guards: AddedGuard[], guard: PromptGuard, reports: GuardReports): () => void {
  const one = new AddedGuard(guard, reports);
  guards.push(one);
  return () => void guards.splice(guards.indexOf(one) >>> 0, 1);
}

function promptOf(request: PromptRequest, agent: AgentInfo, chosen: string | undefined): GuardedPrompt {
  const { subject, contextId, caller, surface, message, continues, cid, skill = chosen } = request;
  return structuredClone({
    agent: agent.name,
    contextId,
    caller,
    surface,
    message,
    ...(skill !== undefined && { skill }),
    ...(subject !== undefined && { subject }),
    ...(continues && { taskId: cid }),
  });
}
