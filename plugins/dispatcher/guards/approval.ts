// Guard 8: prompts of skills that their owner marked wait for the operator before anything runs. Last, so that the operator
// is asked only about what could run. What the operator asks for needs no consent.
import { targetOf, type Guard } from '../guard.js';

export const approval: Guard = {
  name: 'approval',
  check(candidate) {
    const { request } = candidate;
    if (request.continues || request.caller.id === 'operator' || request.surface === 'delivery') return undefined;
    const { agent } = targetOf(candidate);
    const skill = request.skill ?? candidate.skill;
    candidate.approval = agent.approval?.some((marked) => marked === '*' || marked === skill) ?? false;
    return undefined;
  },
};
