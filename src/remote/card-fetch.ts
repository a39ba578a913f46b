// Where an agent's card is: the configured address when it is the card itself, else the well-known places, newer name
// before older one, below the given path before the origin's root.
import { readPeerCard, type PeerCard } from './peer-card.js';
import type { PeerFaults } from './peer-faults.js';
import type { HttpAnswer, PeerHttp } from './peer-http.js';
import { RemoteError } from './remote-error.js';

const NAMES = ['agent-card.json', 'agent.json'];
const TIMEOUT_MS = 10_000;
const MAX_BYTES = 4 * 1024 * 1024;

export function cardUrls(url: string): string[] {
  const base = new URL(url);
  base.hash = '';
  if (base.pathname.endsWith('.json')) return [base.href];
  base.search = '';
  const path = base.pathname.replace(/\/+$/, '');
  return [...new Set([path, ''])].flatMap((below) => NAMES.map((name) => `${base.origin}${below}/.well-known/${name}`));
}

interface FetchedCard {
  url: string;
  headers: Headers;
  /** Absent: what was fetched last is still right. */
  card?: PeerCard;
}

interface CardRequest {
  /** Where it was found last, with the headers that make the request conditional. */
  last?: { url: string; validators: Record<string, string> };
  headers: Record<string, string>;
}

/** Throws RemoteError: `rejected-key`, `timeout`, or `unreachable` with what was found instead of a card. */
export async function fetchCard(
  { http, faults, url }: { http: PeerHttp; faults: PeerFaults; url: string },
  { last, headers }: CardRequest,
): Promise<FetchedCard> {
  const urls = [...new Set([...(last ? [last.url] : []), ...cardUrls(url)])];
  let found: Error | undefined;
  for (const place of urls) {
    const conditional = place === last?.url ? last.validators : {};
    let answer: HttpAnswer;
    try {
      answer = await http.ask({
        method: 'GET',
        url: place,
        headers: { accept: 'application/json', ...headers, ...conditional },
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_BYTES,
      });
    } catch (error) {
      // E.g. a redirect to a page for signing in: the card may still be in the next place.
      if (!(error instanceof RemoteError && error.code === 'BROKEN_ANSWER')) throw error;
      found ??= error;
      continue;
    }
    if (answer.status === 304 && place === last?.url) return { url: place, headers: answer.headers };
    const card = read(http, answer);
    if (card) return { url: place, headers: answer.headers, card };
    // A key that is not taken, or a server in trouble, says more than a place without a card.
    if (answer.status === 401 || answer.status === 403 || answer.status >= 500) throw faults.strange(answer.status);
    const what = answer.status === 200 ? 'what is there is no agent card' : `HTTP ${answer.status}`;
    found ??= faults.unreachable(`no agent card was found (${what})`, 'NO_CARD');
  }
  throw found ?? faults.unreachable('no agent card was found', 'NO_CARD');
}

function read(http: PeerHttp, answer: HttpAnswer): PeerCard | undefined {
  if (answer.status !== 200) return undefined;
  try {
    const card = readPeerCard(http.parse(answer.bytes).value);
    return card && card.interfaces.length + card.problems.length > 0 ? card : undefined;
  } catch {
    return undefined;
  }
}
