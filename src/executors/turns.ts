// Turns that outlive their run, and the process: whoever follows the work elsewhere shows it and ends the turn through
// this port, so that a turn still has exactly one end.
import type { Prompt, RunHandle, RunOutcome } from './contract.js';

export interface RemoteHandle extends RunHandle {
  /** The remote agent waits for an authorization that is given elsewhere: the task shows it, the turn goes on. */
  authRequired(text: string): void;
  /** It works again. */
  working(): void;
}

export interface OpenTurn {
  prompt: Prompt;
  /** Its signal aborts when the turn ends otherwise. */
  handle: RemoteHandle;
  /** Ends the turn. Nothing happens when it has ended. */
  end(outcome: Exclude<RunOutcome, { kind: 'delegated' }>): void;
}

export interface Turns {
  /**
   * The turn of a task with a watch, handed on by its executor or left by the last process. Undefined when that turn is
   * not open, or its executor has not let go of it.
   */
  adopt(cid: string, turn: number): OpenTurn | undefined;
  /** Has whoever follows the task look at it now; resolves when that is done, or when `signal` aborts. */
  look(cid: string, signal: AbortSignal): Promise<void>;
  /** Whoever follows tasks says so here. */
  onLook(looker: (cid: string) => Promise<void>): void;
}
