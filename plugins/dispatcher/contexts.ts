// Which contexts have a running turn, what waits for them, and how many turns each agent runs. One turn per context.
import type { PromptAssigned, PromptRequest } from '../../src/bus/topics.js';

export class Contexts {
  private readonly running = new Map<string, string>();
  /** Turns that wait until their context is free. Their tasks exist, submitted. */
  private readonly waiting = new Map<string, PromptAssigned[]>();
  private readonly turns = new Map<string, number>();

  /** The task whose turn keeps the context busy, also while a canceled run has not settled. */
  runningIn(key: string): string | undefined {
    return this.running.get(key);
  }

  waitingIn(key: string): number {
    return this.waiting.get(key)?.length ?? 0;
  }

  turnsOf(agent: string): number {
    return this.turns.get(agent) ?? 0;
  }

  start(key: string, cid: string, agent: string): void {
    this.running.set(key, cid);
    this.turns.set(agent, this.turnsOf(agent) + 1);
  }

  /** Frees the context if this task holds it. */
  release(key: string, cid: string, agent: string): void {
    if (this.running.get(key) !== cid) return;
    this.running.delete(key);
    const turns = this.turnsOf(agent) - 1;
    if (turns > 0) this.turns.set(agent, turns);
    else this.turns.delete(agent);
  }

  /** The turn that waits longest for this context. It goes on waiting until `withdraw`. */
  nextFor(key: string): PromptAssigned | undefined {
    return this.waiting.get(key)?.[0];
  }

  enqueue(key: string, turn: PromptAssigned): void {
    const queue = this.waiting.get(key);
    if (queue) queue.push(turn);
    else this.waiting.set(key, [turn]);
  }

  /** A waiting task was started, or canceled. */
  withdraw(cid: string): void {
    for (const [key, queue] of this.waiting) {
      const rest = queue.filter((turn) => turn.cid !== cid);
      if (rest.length === queue.length) continue;
      if (rest.length > 0) this.waiting.set(key, rest);
      else this.waiting.delete(key);
    }
  }
}

/** Contexts of different callers, or with different agents, are different conversations whatever their ids. */
export const contextKey = (caller: string, agent: string, contextId: string): string =>
  `${caller}|${agent}|${contextId}`;

export const contextOf = (request: Pick<PromptRequest, 'caller' | 'contextId'>, agent: string): string =>
  contextKey(request.caller.id, agent, request.contextId);
