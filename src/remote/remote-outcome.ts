// What a remote task's state means for the turn here: every state is itself. Pure.
import { textOf, type Part } from '../a2a-model.js';
import type { RunOutcome } from '../executors/contract.js';
import type { RemoteTask } from './remote-port.js';

export type RemoteOutcome = Exclude<RunOutcome, { kind: 'delegated' }>;

/** How far the remote task is, its message already kept as parts of this side. */
interface RemoteProgress {
  state: RemoteTask['status']['state'];
  /** The status message's parts; empty when there is none. */
  words: readonly Part[];
  /** Artifacts came: they are the answer then. */
  answered: boolean;
  /** The last thing the agent said in its history, for a task that ends without saying it again. */
  said: readonly Part[];
}

/** The end of the turn, or undefined while the remote task needs to be followed. */
export function remoteOutcome({ state, words, answered, said }: RemoteProgress): RemoteOutcome | undefined {
  const text = textOf(words).trim();
  switch (state) {
    case 'TASK_STATE_SUBMITTED':
    case 'TASK_STATE_WORKING':
    case 'TASK_STATE_AUTH_REQUIRED':
      return undefined;
    case 'TASK_STATE_COMPLETED': {
      if (answered) return { kind: 'completed' };
      const answer = words.length > 0 ? words : said;
      return { kind: 'completed', parts: answer.length > 0 ? [...answer] : [{ text: 'Done, without an answer.' }] };
    }
    case 'TASK_STATE_FAILED':
      return { kind: 'failed', code: 'remote-failed', text: text || 'The remote agent failed and gave no reason.' };
    case 'TASK_STATE_REJECTED':
      return { kind: 'rejected', text: text || 'The remote agent rejected the task and gave no reason.' };
    case 'TASK_STATE_CANCELED':
      return { kind: 'canceled', text: text || 'The task was canceled at the remote agent.' };
    case 'TASK_STATE_INPUT_REQUIRED':
      return {
        kind: 'question',
        question: text || textOf(said).trim() || 'The remote agent needs more input.',
        from: 'caller',
      };
    default:
      return state satisfies never;
  }
}
