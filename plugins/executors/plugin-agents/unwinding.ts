// What `ask` and `requireAuth` throw to end a run: not an Error, so that code which handles errors lets it pass more
// often; whoever catches it all the same is found out.
import type { RunOutcome } from '../../../src/executors/contract.js';

export class Unwinding {
  constructor(
    readonly outcome: Extract<RunOutcome, { kind: 'question' | 'rejected' }>,
    /** The call that ended the run, as its author wrote it. */
    readonly what: string,
  ) {}

  /** For whoever logs it. */
  toString(): string {
    return `Unwinding: ${this.what} ends the run, and its function runs again with the answer`;
  }
}
