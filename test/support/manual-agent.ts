// An agent whose turns the test ends: each prompt is handed to whoever waits for the next one.
import type { AgentInfo, Executor, Prompt, RunHandle, RunOutcome } from '../../src/executors/contract.js';
import { definePlugin, type Plugin } from '../../src/plugin.js';

export interface ManualTurn {
  prompt: Prompt;
  handle: RunHandle;
  end(outcome: RunOutcome): void;
}

export class ManualAgent implements Executor {
  readonly name = 'manual';
  private readonly turns: ManualTurn[] = [];
  private readonly open = new Set<(outcome: RunOutcome) => void>();
  private readonly waiting: ((turn: ManualTurn) => void)[] = [];

  /** `message`: it answers with messages. */
  constructor(public replies?: AgentInfo['replies']) {}

  private get agent() {
    return { name: 'manual', kind: 'plugin' as const, exposed: true, ...(this.replies && { replies: this.replies }) };
  }
  find = (agent: string) => (agent === 'manual' ? { ...this.agent, skills: [] } : undefined);
  list = () => [{ ...this.agent, skills: [] }];

  run(prompt: Prompt, handle: RunHandle): Promise<RunOutcome> {
    return new Promise((resolve) => {
      handle.signal.addEventListener('abort', () => resolve({ kind: 'failed', text: 'aborted' }));
      const turn = { prompt, handle, end: resolve };
      this.open.add(resolve);
      const waiter = this.waiting.shift();
      if (waiter) waiter(turn);
      else this.turns.push(turn);
    });
  }

  /** The next turn that begins, or the oldest that nobody has asked for yet. */
  next(): Promise<ManualTurn> {
    const turn = this.turns.shift();
    return turn ? Promise.resolve(turn) : new Promise((resolve) => this.waiting.push(resolve));
  }

  /** Ends whatever still runs, so that a stop has nothing to wait for. */
  finish(): void {
    for (const end of this.open) end({ kind: 'completed' });
  }

  readonly plugin: Plugin = definePlugin({
    name: 'manual-agent',
    consumes: [],
    observes: [],
    produces: [],
    install: ({ core }) => core.registry.register(this),
  });
}
