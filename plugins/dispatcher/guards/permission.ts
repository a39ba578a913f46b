// Guard 2: may this caller use this agent and this skill, by its owner's file as it is now.
import { refuse, targetOf, type Guard } from '../guard.js';

export const permission: Guard = {
  name: 'permission',
  check(candidate, { core }) {
    const { request } = candidate;
    const { agent } = targetOf(candidate);
    // The operator may do everything; plugins are part of the installation.
    if (request.caller.id === 'operator' || request.caller.id.startsWith('plugin/')) return undefined;
    // Which agents a session may call was decided by its workspace's settings, before it asked.
    if (request.surface === 'tool') return undefined;
    const caller = core.callers.find(request.caller.id);
    // Not telling "unknown" from "not permitted" keeps names secret.
    if (!caller?.agents.includes(agent.name)) return refuse('agent-not-found', 'There is no such agent.');
    if (!caller.skills || request.continues) return undefined;
    if (request.skill === undefined && caller.skills.length === 1) {
      candidate.skill = caller.skills[0];
      return undefined;
    }
    if (request.skill !== undefined && caller.skills.includes(request.skill)) return undefined;
    return refuse(
      'forbidden',
      `This key may use these skills only: ${caller.skills.join(', ')}. Name one in the metadata.`,
    );
  },
};
