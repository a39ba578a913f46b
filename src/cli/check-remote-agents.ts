// How agents elsewhere were reached last, by what the running server says. Whatever that is, the home itself is in order.
import type { Finding } from './doctor-checks.js';
import type { RemoteState } from './operator-client.js';

const ADVICE = 'Calls to it may fail until that is better; ask it now with: switchboard agents --probe';

export const remoteFindings = (agents: readonly RemoteState[]): Finding[] =>
  agents.map(({ name, workspace, reachable, problem, leftAloneUntil }) => {
    const agent = workspace === undefined ? name : `${name} (${workspace})`;
    if (reachable === 'no' || problem !== undefined) {
      const alone = leftAloneUntil === undefined ? '' : `; it is not asked before ${leftAloneUntil}`;
      const text = `${agent}: ${problem ?? 'could not be reached'}${alone}`;
      return { check: 'agents', level: 'warning', text, advice: ADVICE };
    }
    const text = reachable === 'yes' ? `${agent} is reachable` : `${agent} was not asked yet`;
    return { check: 'agents', level: 'ok', text };
  });
