// Task states as the numbers the protocol gives them, which is how the mirror stores them.
import { isTerminal, TASK_STATES, type TaskState } from '../a2a-model.js';

const CODES: ReadonlyMap<string, number> = new Map(TASK_STATES.map((state, index) => [state, index + 1]));

/** 1..8, or undefined for a name that is no task state. */
export const stateCode = (state: string): number | undefined => CODES.get(state);

/** The wire name of a stored code. Throws for a code that this version never wrote. */
export function stateName(code: number): TaskState {
  const state = TASK_STATES[code - 1];
  if (state === undefined) throw new Error(`the mirror holds an unknown state code ${code}`);
  return state;
}

export const LIVE_CODES: readonly number[] = TASK_STATES.flatMap((state, index) =>
  isTerminal(state) ? [] : [index + 1],
);
