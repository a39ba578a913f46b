import { describe, expect, it } from '@jest/globals';
import { FairTurns } from '../../src/http/fair-turns.js';

/** Turns that end when the test says so, and what began in them. */
function turnsByHand() {
  let due: (() => void) | undefined;
  const began: string[] = [];
  const turns = new FairTurns((call) => (due = call), 4);
  return {
    ask: (callerId: string, times = 1) => {
      for (let i = 0; i < times; i++) turns.take(callerId, () => began.push(callerId));
    },
    /** What began since the last question, as `ann*4 ben`. */
    began: () => {
      const counts = new Map<string, number>();
      for (const name of began.splice(0)) counts.set(name, (counts.get(name) ?? 0) + 1);
      return [...counts].map(([name, count]) => `${name}*${count}`).join(' ');
    },
    endTurn: () => {
      const call = due;
      due = undefined;
      call?.();
    },
    idle: () => due === undefined,
  };
}

describe('turns of callers', () => {
  it('begins what few ask at once', () => {
    const { ask, began } = turnsByHand();
    ask('ann');
    ask('ben', 2);
    expect(began()).toBe('ann*1 ben*2');
  });

  it('has another caller begin at once while one waits with a hundred requests', () => {
    const { ask, began, endTurn } = turnsByHand();
    ask('greedy', 100);
    ask('ann');
    expect(began()).toBe('greedy*4 ann*1');
    endTurn();
    ask('ann');
    expect(began()).toBe('greedy*4 ann*1');
  });

  it('begins every request once, in the order in which its caller sent them', () => {
    const order: number[] = [];
    const due: (() => void)[] = [];
    const turns = new FairTurns((call) => due.push(call), 4);
    for (let i = 0; i < 6; i++) turns.take('ann', () => order.push(i));
    due.shift()?.();
    turns.take('ann', () => order.push(6));
    while (due.length > 0) due.shift()?.();
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it('puts what comes later behind what waits already', () => {
    const { ask, began, endTurn } = turnsByHand();
    ask('ann', 7);
    began();
    endTurn();
    ask('ann', 3);
    expect(began()).toBe('ann*4');
    endTurn();
    expect(began()).toBe('ann*2');
  });

  it('asks for no turn when nothing is left', () => {
    const { ask, endTurn, idle } = turnsByHand();
    ask('ann', 5);
    endTurn();
    endTurn();
    expect(idle()).toBe(true);
  });
});
