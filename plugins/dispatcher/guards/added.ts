// Between 7 and 8: what plugins have against a prompt. A guard that can't say is one that says no: nobody gets past a rule
// because it is broken.
import { refuse, targetOf, type Guard } from '../guard.js';

export const added: Guard = {
  name: 'added',
  check(candidate, { added: guards }) {
    for (const guard of guards) {
      const refusal = guard.look(candidate.request, targetOf(candidate).agent, candidate.skill);
      if (refusal) return { ...refuse(refusal.code, refusal.message, refusal.details), rule: guard.rule };
    }
    return undefined;
  },
};
