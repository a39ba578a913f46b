// Who a request comes from, as far as plugins can tell from its headers. They are asked before the key, because an unknown
// key costs a look at every owner's file and counts as a wrong one.
import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../clock.js';
import { AppError, errorText } from '../errors.js';
import type { Adder } from '../extensions.js';
import type { Caller, CallerDirectory } from '../workspace/callers.js';
import type { Authenticator } from './authenticator.js';

/** One that has not said anything by then has nothing to say. */
const PATIENCE_MS = 5_000;

export class Authenticators {
  private readonly added: { authenticator: Authenticator; by: Adder }[] = [];

  constructor(private readonly deps: { callers: Pick<CallerDirectory, 'find'>; clock: Clock }) {}

  /** The returned function takes it out again. */
  add(authenticator: Authenticator, by: Adder): () => void {
    if (typeof authenticator?.authenticate !== 'function') throw new Error('it needs a function authenticate');
    if (typeof authenticator.name !== 'string' || authenticator.name === '') throw new Error('it needs a name');
    const entry = { authenticator, by };
    this.added.push(entry);
    return () => void this.added.splice(this.added.indexOf(entry) >>> 0, 1);
  }

  /** Undefined when no authenticator knows. Throws AppError `unauthenticated` for one who may not call. */
  async identify(headers: IncomingHttpHeaders): Promise<Caller | undefined> {
    for (const { authenticator, by } of this.added) {
      const id = await this.ask(authenticator, by, headers);
      const caller = id === undefined ? undefined : this.deps.callers.find(id);
      if (caller) return caller;
      if (id !== undefined) throw new AppError('unauthenticated', 'The credentials name nobody who may call.');
    }
    return undefined;
  }

  private async ask(
    authenticator: Authenticator,
    by: Adder,
    headers: IncomingHttpHeaders,
  ): Promise<string | undefined> {
    let late = (): void => undefined;
    const patience = new Promise<never>((_resolve, reject) => {
      late = this.deps.clock.after(PATIENCE_MS, () => reject(new Error(`it took longer than ${PATIENCE_MS / 1000} s`)));
    });
    try {
      const id = await Promise.race([(async () => authenticator.authenticate({ ...headers }))(), patience]);
      if (id === undefined || typeof id === 'string') return id;
      throw new Error('it must return the id of a caller, or undefined');
    } catch (error) {
      by.failed(`its authenticator ${authenticator.name} failed: ${errorText(error)}`, error);
      return undefined;
    } finally {
      late();
    }
  }
}
