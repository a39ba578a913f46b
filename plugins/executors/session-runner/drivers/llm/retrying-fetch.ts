// A fetch that tries again when the endpoint says "later". Only an answer's status is looked at, so nothing has been shown
// of a request that is repeated.
import type { Clock } from '../../../../../src/clock.js';
import { FetchError } from '../../../../../src/net/fetch-error.js';
import type { DriverContext } from '../../../../../src/authoring/driver.js';
import { waitFor } from './wait-for.js';

interface Retrying {
  clock: Clock;
  /** Told before each wait, in milliseconds. */
  waiting?(ms: number): void;
}

const ATTEMPTS = 4;
const FIRST_WAIT_MS = 500;
/** An endpoint that wants a longer pause gets no second try: whoever asked should hear of it. */
const MAX_WAIT_MS = 20_000;
const LATER = new Set([429, 500, 502, 503, 504, 529]);

/** At most four attempts. Rejects as `fetch` does, and with the signal's reason when aborted during a wait. */
export const retryingFetch =
  (send: DriverContext['fetch'], { clock, waiting }: Retrying): DriverContext['fetch'] =>
  async (input, init) => {
    for (let attempt = 1; ; attempt++) {
      const answer = await send(input, init).catch((error: unknown) => {
        if (attempt < ATTEMPTS && !init?.signal?.aborted && isBroken(error)) return undefined;
        throw error;
      });
      if (!answer) continue;
      const ms = attempt < ATTEMPTS ? pauseAfter(answer, attempt, clock.now()) : undefined;
      if (ms === undefined) return answer;
      await answer.body?.cancel().catch(() => undefined);
      waiting?.(ms);
      await waitFor(ms, clock, init?.signal ?? undefined);
    }
  };

/** True for a connection that broke before an answer: one that was kept while tools ran may just have been closed. */
const isBroken = (error: unknown): boolean => {
  const cause = error instanceof TypeError ? error.cause : undefined;
  return cause instanceof FetchError && cause.reason === 'unreachable';
};

/** Milliseconds until the next attempt; undefined when there is to be none. */
export function pauseAfter(
  answer: Pick<Response, 'status' | 'headers'>,
  attempt: number,
  now: number,
): number | undefined {
  if (!LATER.has(answer.status)) return undefined;
  const wanted = retryAfter(answer.headers, now) ?? FIRST_WAIT_MS * 2 ** (attempt - 1);
  return wanted > MAX_WAIT_MS ? undefined : wanted;
}

/** In milliseconds: `Retry-After` in seconds or as a date, or its common form in milliseconds. */
function retryAfter(headers: Headers, now: number): number | undefined {
  const exact = headers.get('retry-after-ms');
  if (exact !== null && /^\d{1,9}$/.test(exact.trim())) return Number(exact);
  const plain = headers.get('retry-after')?.trim();
  if (plain === undefined) return undefined;
  if (/^\d{1,9}(\.\d+)?$/.test(plain)) return Number(plain) * 1000;
  const date = Date.parse(plain);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
