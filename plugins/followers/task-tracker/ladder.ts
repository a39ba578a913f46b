// How a remote task is followed: which way, for how long, and what comes after. A pure table; times are milliseconds.

export type Rung =
  /** A stream for as long as somebody may be watching closely. */
  | 'close-stream'
  /** Questions at short intervals, for the same while. */
  | 'close-poll'
  /** The peer calls back; a question now and then in case it forgets to. */
  | 'push'
  | 'stream'
  | 'poll';

export interface Means {
  streaming: boolean;
  /** The peer takes push configs, and there is an address it can call. */
  push: boolean;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Between two questions, the last one again and again. */
const CLOSE_POLL = [SECOND, SECOND, 2 * SECOND, 3 * SECOND, 5 * SECOND];
const POLL = [15 * SECOND, 30 * SECOND, MINUTE, 2 * MINUTE, 5 * MINUTE];
/** In this time all watches can be looked after once, however many there are. */
const ROUND_MS = 150_000;
/** Before a stream that was cut is opened again; then no more streams. */
const REOPEN = [SECOND, 5 * SECOND, 15 * SECOND];
/** No stream is held longer: it is closed and opened again, see `sooner`. */
export const STREAM_MS = 5 * MINUTE;
/** A peer that calls back is still asked this often, see `sooner`. */
export const SAFETY_MS = 10 * MINUTE;

/** The first rung. `sinceMs` is how long the watch has existed, `closeMs` how long it is followed closely. */
export function firstRung(means: Means, sinceMs: number, closeMs: number): Rung {
  if (sinceMs < closeMs) return means.streaming ? 'close-stream' : 'close-poll';
  return lastingRung(means);
}

/** What follows when nobody is expected to watch closely any more. */
export const lastingRung = ({ push, streaming }: Means): Rung => (push ? 'push' : streaming ? 'stream' : 'poll');

/** The rung after a push config could not be made. */
export const withoutPush = ({ streaming }: Pick<Means, 'streaming'>): Rung => (streaming ? 'stream' : 'poll');

/** Until a cut stream is opened again, by how often in a row it was cut; undefined when it is not. */
export const reopenMs = (cuts: number): number | undefined => REOPEN[cuts - 1];

/** Up to a fifth earlier, by `random` in [0, 1): what began together does not end together. */
export const sooner = (ms: number, random: number): number => Math.round(ms * (1 - 0.2 * random));

/** How many questions a watch has behind it that is asked about for so long: where a new process goes on. */
export function questionsIn(ms: number): number {
  let until = 0;
  const n = POLL.findIndex((wait) => (until += wait) > ms);
  return n < 0 ? POLL.length - 1 : n;
}

/** Between two looks that nobody waits for, over all watches: 50 a second, and more only when all would not get theirs. */
export const gapMs = (watches: number): number => Math.min(20, ROUND_MS / watches);

/** Until the `n`-th question from 0, spread by `random` in [0, 1) over ±20 %, so that many watches do not ask at once. */
export function pollMs(rung: 'close-poll' | 'poll', n: number, random: number): number {
  const table = rung === 'poll' ? POLL : CLOSE_POLL;
  return Math.round((table[Math.min(n, table.length - 1)] as number) * (0.8 + 0.4 * random));
}
