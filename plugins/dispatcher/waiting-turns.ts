// Starts the turns that wait for their context, each as soon as that is free and its agent has room.
import type { PromptAssigned } from '../../src/bus/topics.js';
import { toAppError } from '../../src/errors.js';
import type { PluginContext } from '../../src/plugin.js';
import type { Contexts } from './contexts.js';

/** A turn that could not be started, for want of disk space or of room at its agent, is tried again after this long. */
const RETRY_MS = 1_000;

export class WaitingTurns {
  private draining = false;

  constructor(
    private readonly context: Pick<PluginContext<never, 'agent.prompt.assigned'>, 'core' | 'bus' | 'log'>,
    private readonly contexts: Contexts,
  ) {}

  /** From now on nothing that waits is started: it is there after the restart. */
  drain(): void {
    this.draining = true;
  }

  /** A turn is over, or never began: its context is the next one's. */
  free(key: string, cid: string, agent: string): void {
    this.contexts.release(key, cid, agent);
    void this.startNext(key);
  }

  /** Starts the turn that waits longest for a context, if that is free and there is room. Never rejects. */
  async startNext(key: string): Promise<void> {
    const turn = this.contexts.nextFor(key);
    if (!turn || this.draining || this.contexts.runningIn(key) !== undefined) return;
    if (!this.hasRoom(turn)) return this.retry(key);
    const { cid, agent } = turn;
    this.contexts.start(key, cid, agent);
    try {
      await this.context.core.ledger.startTurn(cid);
      this.contexts.withdraw(cid);
      this.context.bus.publish('agent.prompt.assigned', turn);
    } catch (error) {
      this.contexts.release(key, cid, agent);
      if (toAppError(error).code === 'storage-failed') return this.retry(key);
      // It was canceled meanwhile, or is gone: the next one gets its chance.
      this.contexts.withdraw(cid);
      await this.startNext(key);
    }
  }

  /** False also where the workspace's folder can't be looked at. */
  private hasRoom({ cid, agent }: PromptAssigned): boolean {
    const { core, log } = this.context;
    try {
      const own = core.workspaces.has(agent) ? core.workspaces.settings(agent).quota.concurrentTurns : undefined;
      return this.contexts.turnsOf(agent) < Math.min(own ?? Infinity, core.config.quota.concurrentTurns);
    } catch (error) {
      log.error({ cid, agent, err: error }, 'a turn that waits can not be started now');
      return false;
    }
  }

  private retry(key: string): void {
    this.context.core.clock.after(RETRY_MS, () => void this.startNext(key));
  }
}
