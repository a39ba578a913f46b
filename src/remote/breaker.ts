// Whether a peer is worth a try: after some failures in a row it is left alone for a while, then one request tries. Pure;
// the state is a value.

export interface Breaker {
  failures: number;
  /** Milliseconds since the epoch; while it lasts, nothing is tried. */
  openUntil: number;
  /** How long it is open next time, in ms. */
  pauseMs: number;
  /** One request is trying. */
  probing: boolean;
}

const FAILURES = 5;
const FIRST_PAUSE_MS = 10_000;
const LONGEST_PAUSE_MS = 300_000;

export const CLOSED: Breaker = { failures: 0, openUntil: 0, pauseMs: FIRST_PAUSE_MS, probing: false };

const isClosed = ({ failures }: Breaker): boolean => failures < FAILURES;

/** `yes` also for the one request that tries; then go on with `asked`. */
export const mayTry = (breaker: Breaker, now: number): boolean =>
  isClosed(breaker) || (now >= breaker.openUntil && !breaker.probing);

/** The state once a request was let through. */
export const asked = (breaker: Breaker): Breaker => (isClosed(breaker) ? breaker : { ...breaker, probing: true });

/** The peer answered, whatever it said. */
export const answered = (): Breaker => CLOSED;

/** A request ended without telling anything about the peer, e.g. because it was given up. */
export const undecided = (breaker: Breaker): Breaker => (breaker.probing ? { ...breaker, probing: false } : breaker);

/** The peer was not there, or said nothing. */
export function failed(breaker: Breaker, now: number): Breaker {
  const failures = breaker.failures + 1;
  if (failures < FAILURES) return { ...breaker, failures };
  const { pauseMs } = breaker;
  return {
    failures,
    openUntil: now + pauseMs,
    pauseMs: Math.min(pauseMs * 2, LONGEST_PAUSE_MS),
    probing: false,
  };
}
