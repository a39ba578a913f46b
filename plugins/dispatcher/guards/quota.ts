// Guard 6: how many live tasks a caller and its workspace may have, and how many turns an agent runs at once.
import { refuse, targetOf, type Guard, type GuardPorts, type Verdict } from '../guard.js';
import { limitOf } from './limit-of.js';

/** Seconds after which a refused caller may try again. */
const RETRY_AFTER = 5;

export const quota: Guard = {
  name: 'quota',
  check(candidate, ports) {
    const { request } = candidate;
    const { agent } = targetOf(candidate);
    const turns = limitOf('concurrentTurns', agent.name, candidate, ports);
    if (ports.contexts.turnsOf(agent.name) >= turns) {
      if (request.surface === 'delivery') {
        candidate.queue = true;
        return undefined;
      }
      return over(`${agent.name} runs ${turns} turns at once, its limit`, ports);
    }
    if (request.continues || request.surface === 'delivery') return undefined;
    const live = ports.core.ledger.liveTasks(request.caller);
    const { scope } = request.caller;
    const ofCaller = limitOf('liveTasksPerCaller', scope, candidate, ports);
    if (live.ofCaller >= ofCaller) return over(`this caller has ${ofCaller} unfinished tasks, its limit`, ports);
    const ofScope = limitOf('liveTasks', scope, candidate, ports);
    if (live.ofScope >= ofScope) return over(`the workspace has ${ofScope} unfinished tasks, its limit`, ports);
    return undefined;
  },
};

function over(what: string, { core }: GuardPorts): Verdict {
  return {
    ...refuse('quota', `Too much at once: ${what}. Retry in ${RETRY_AFTER} seconds.`, { retryAfter: RETRY_AFTER }),
    asTask: true,
    until: core.clock.now() + RETRY_AFTER * 1000,
  };
}
