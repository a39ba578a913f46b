// In which order an agent is tried: what its card declares, and behind that the other version at the same addresses, for
// cards that say one thing while the wire is another. Pure.
import type { RemoteAgent } from '../workspace/remote-agent-files.js';
import { routeOf, type Route } from './interface-route.js';
import type { PeerCard, PeerInterface, ProtocolVersion } from './peer-card.js';

export interface Way extends PeerInterface {
  route: Route;
  /** False for a version that the card does not speak of. */
  declared: boolean;
}

export interface Ways {
  /** The one to begin with first. */
  ways: Way[];
  problems: string[];
}

/** `protocol` of the agent pins a version: nothing else is tried then. */
export function waysTo(card: Pick<PeerCard, 'interfaces'>, agent: Pick<RemoteAgent, 'url' | 'protocol' | 'key'>): Ways {
  const ways: Way[] = [];
  const problems: string[] = [];
  const add = (entry: PeerInterface, declared: boolean): void => {
    if (agent.protocol !== undefined && entry.protocol !== agent.protocol) return;
    const route = routeOf(entry, agent.url);
    if (!route) {
      if (declared) problems.push(`the address of its ${entry.binding} interface is not usable`);
      return;
    }
    const same = (way: Way): boolean =>
      way.route.url === route.url && way.binding === entry.binding && way.protocol === entry.protocol;
    if (ways.some(same)) return;
    if (declared && !route.withKey && agent.key !== undefined) {
      problems.push(`its card names ${new URL(route.url).host} for ${entry.binding}, which does not get the key`);
    }
    ways.push({ ...entry, route, declared });
  };
  for (const entry of card.interfaces) add(entry, true);
  const guesses = agent.protocol === undefined ? card.interfaces : [];
  for (const { tenant: _tenant, ...entry } of guesses) add({ ...entry, protocol: other(entry.protocol) }, false);
  return { ways, problems };
}

const other = (protocol: ProtocolVersion): ProtocolVersion => (protocol === '1.0' ? '0.3' : '1.0');

/** Where to go on after a way failed without the request having been taken; undefined when nothing is left. */
export function nextWay(
  ways: readonly Way[],
  tried: readonly Way[],
  /** The peer was there, but speaks another version. */
  otherVersion: boolean,
): Way | undefined {
  const left = ways.filter((way) => !tried.includes(way));
  const last = tried.at(-1);
  if (!otherVersion) return left.find((way) => way.declared);
  // Once: who knows neither of two versions knows none of ours.
  if (tried.some((way) => way.protocol !== last?.protocol)) return undefined;
  const others = left.filter((way) => way.protocol !== last?.protocol);
  return others.find((way) => way.declared) ?? others.find((way) => way.route.url === last?.route.url) ?? others[0];
}
