// Another agent did not do what it was asked.
import { RunFailure } from '../executors/contract.js';

/** Uncaught, it fails the run that called, with this text. */
export class CallFailure extends RunFailure {
  override readonly name = 'CallFailure';
  constructor(
    message: string,
    readonly agent: string,
    /** How the call ended; `refused`: it was not let in. */
    readonly state: 'failed' | 'rejected' | 'canceled' | 'refused',
    readonly taskId?: string,
  ) {
    super(message, 'call-failed');
  }
}
