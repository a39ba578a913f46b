// Guard 4: a prompt that has crossed too many switchboards, or comes back to the same agent, goes in circles.
import { refuse, targetOf, type Guard } from '../guard.js';

export const loop: Guard = {
  name: 'loop',
  check(candidate, { core }) {
    const { chain } = candidate.request;
    if (chain.length > core.config.maxHops) {
      return {
        ...refuse('loop', `The prompt has crossed ${chain.length} switchboards; ${core.config.maxHops} are allowed.`),
        asTask: true,
      };
    }
    const { agent } = targetOf(candidate);
    const here = core.hops.of(agent.name);
    const again = chain.some((hop) => hop.switchboard === here.switchboard && hop.agent === here.agent);
    if (!again) return undefined;
    return { ...refuse('loop', `The prompt came back to ${agent.name}, which it has passed before.`), asTask: true };
  },
};
