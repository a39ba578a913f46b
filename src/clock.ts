// Time and ids are injected, so that tests decide both.
import { randomUUID } from 'node:crypto';

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `fn` once after `ms`; the returned function cancels. Never keeps the process alive. */
  after(ms: number, fn: () => void): () => void;
}

export const systemClock: Clock = {
  now: Date.now,
  after(ms, fn) {
    // A longer delay than setTimeout can hold fires at once; no deadline here needs more than 24 days.
    const timer = setTimeout(fn, Math.min(ms, 2_147_483_647));
    timer.unref();
    return () => clearTimeout(timer);
  },
};

export type NewId = () => string;
/** Ids without dots, so that they fit in a bus topic. */
export const randomId: NewId = () => randomUUID();

/**
 * A UUID of version 7 (RFC 9562): the first 48 bits are the time in milliseconds, 74 bits are random. Ids made one after
 * another sort that way, so an index of them grows at its end instead of everywhere.
 */
export const orderedId: NewId = () => {
  const time = Date.now().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
};
