// What follows from one try to tell a webhook: done, again later, given up, or nothing more at all. Pure.

/** The longest a try may take, its answer included. */
export const TRY_MS = 10_000;
/** The waits after the first failed tries, in milliseconds; the try after the last of them is the last. */
export const DELAYS_MS = [1_000, 5_000, 30_000, 120_000, 600_000, 3_600_000] as const;
export const MAX_TRIES = DELAYS_MS.length + 1;
/** A wait is longer or shorter by up to this share, so that those who failed together don't come back together. */
export const JITTER = 0.2;
/** A receiver may ask for more patience than the table has, but for no more than this. */
export const MAX_RETRY_AFTER_MS = 3_600_000;

/** No wait is longer. */
export const LONGEST_WAIT_MS = Math.max(MAX_RETRY_AFTER_MS, Math.max(...DELAYS_MS) * (1 + JITTER));

export interface Outcome {
  /** The answer's HTTP status, if there was one. */
  status?: number;
  /** Why there was no usable answer. */
  failure?: string;
  /** What the answer's `Retry-After` asks for, in milliseconds. */
  retryAfterMs?: number;
}

export type Verdict =
  | { kind: 'delivered' }
  | { kind: 'retry'; waitMs: number; reason: string }
  | { kind: 'dead'; reason: string }
  /** The receiver does not exist any more and never will. */
  | { kind: 'gone'; reason: string };

/** `attempt` counts from 1; `random` is 0 to 1. */
export function verdictOf({ status, failure, retryAfterMs = 0 }: Outcome, attempt: number, random: number): Verdict {
  if (failure === undefined && status !== undefined && status >= 200 && status < 300) return { kind: 'delivered' };
  const reason = failure ?? 'status';
  if (status === 410) return { kind: 'gone', reason };
  const delay = DELAYS_MS[attempt - 1];
  if (delay === undefined) return { kind: 'dead', reason };
  const jittered = delay * (1 + JITTER * (2 * random - 1));
  return { kind: 'retry', waitMs: Math.round(Math.max(jittered, Math.min(retryAfterMs, MAX_RETRY_AFTER_MS))), reason };
}

const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** A `Retry-After` (seconds or an HTTP date) as milliseconds from `now`; undefined when it says nothing usable. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const at = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
