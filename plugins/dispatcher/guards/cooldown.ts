// Guard 7: the same work, by agent, skill and subject, is not done again at once. Off unless configured; what continues a
// task, and what the switchboard itself delivers, is never held up.
import { refuse, targetOf, type Guard } from '../guard.js';

export const cooldown: Guard = {
  name: 'cooldown',
  check(candidate, { core, cooldowns }) {
    const { request } = candidate;
    if (request.continues || request.surface === 'delivery') return undefined;
    const { agent } = targetOf(candidate);
    const now = core.clock.now();
    const until = cooldowns.blockedUntil(
      { ...request, agent: agent.name, skill: request.skill ?? candidate.skill },
      now,
    );
    if (until === undefined) return undefined;
    const retryAfter = Math.ceil((until - now) / 1000);
    const message = `${agent.name} took this up a moment ago. Retry in ${retryAfter} seconds.`;
    return { ...refuse('cooldown', message, { retryAfter }), until };
  },
};
