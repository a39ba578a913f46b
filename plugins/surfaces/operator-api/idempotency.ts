// The Idempotency-Key header: the same key with the same request gives the same answer for a day. Prompts are recognised
// durably by the message id derived from the key; other requests by their answers kept here, while the process lives.
import { createHash } from 'node:crypto';
import type { Clock } from '../../../src/clock.js';
import { AppError } from '../../../src/errors.js';
import { MESSAGE_LIFE } from '../../../src/message-life.js';

/** Answers kept at most; the oldest go first. */
export const MAX_KEPT = 1000;

/** The header's value, checked. Throws `invalid-params`. */
export function idempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (/^[\x21-\x7e]{1,255}$/.test(header)) return header;
  throw new AppError('invalid-params', 'Idempotency-Key must be 1 to 255 visible ASCII characters.');
}

/** The message id of the prompt sent under a key. */
export const messageIdFor = (key: string): string =>
  `idempotent-${createHash('sha256').update(key).digest('hex').slice(0, 40)}`;

export const conflictingKey = (): AppError =>
  new AppError('invalid-params', 'This Idempotency-Key was used for another request.');

interface Kept<T> {
  request: string;
  at: number;
  answer: Promise<T>;
}

/** Answers by key; a request that comes while the first one runs waits for the same answer. Failures are not kept. */
export class KeptAnswers<T> {
  private readonly kept = new Map<string, Kept<T>>();

  constructor(private readonly clock: Clock) {}

  /** `request` says what was asked; another one under the same key throws `invalid-params`. */
  async once(key: string, request: string, run: () => Promise<T>): Promise<T> {
    const now = this.clock.now();
    this.forget(now);
    const known = this.kept.get(key);
    if (known !== undefined) {
      if (known.request !== request) throw conflictingKey();
      return known.answer;
    }
    const entry: Kept<T> = { request, at: now, answer: run() };
    this.kept.set(key, entry);
    try {
      return await entry.answer;
    } catch (error) {
      if (this.kept.get(key) === entry) this.kept.delete(key);
      throw error;
    }
  }

  private forget(now: number): void {
    // Insertion order is age order.
    for (const [key, { at }] of this.kept) {
      if (now - at < MESSAGE_LIFE && this.kept.size < MAX_KEPT) return;
      this.kept.delete(key);
    }
  }
}
