// Whether a peer is worth a try: after some failures in a row it is left alone for a while, then one request tries, and
// another one a pause later if that one does not come back. Pure; the state is a value.

interface Breaker {
  failures: number;
  /** Milliseconds since the epoch; while it lasts, nothing is tried. */
  openUntil: number;
  /** How long it is open next time, in ms. */
  pauseMs: number;
}

const FAILURES = 5;
const FIRST_PAUSE_MS = 10_000;
const LONGEST_PAUSE_MS = 300_000;

export const CLOSED: Breaker = { failures: 0, openUntil: 0, pauseMs: FIRST_PAUSE_MS };

const isClosed = ({ failures }: Breaker): boolean => failures < FAILURES;

/** When true, go on with `asked`. */
export const mayTry = (breaker: Breaker, now: number): boolean => isClosed(breaker) || now >= breaker.openUntil;

/** Until when nothing is tried; undefined when something would be now. */
export const openUntil = (breaker: Breaker, now: number): number | undefined =>
  mayTry(breaker, now) ? undefined : breaker.openUntil;

/** A request was let through: it is the only one for as long as a pause. */
export const asked = (breaker: Breaker, now: number): Breaker =>
  isClosed(breaker) ? breaker : { ...breaker, openUntil: now + breaker.pauseMs };

/** A request ended without telling anything about the peer, e.g. because it was given up: the next one may try. */
export const undecided = (breaker: Breaker): Breaker => (isClosed(breaker) ? breaker : { ...breaker, openUntil: 0 });

/** The peer was not there, or said nothing. */
export function failed(breaker: Breaker, now: number): Breaker {
  const failures = breaker.failures + 1;
  if (failures < FAILURES) return { ...breaker, failures };
  const { pauseMs } = breaker;
  return { failures, openUntil: now + pauseMs, pauseMs: Math.min(pauseMs * 2, LONGEST_PAUSE_MS) };
}
