// Who a request comes from, where no key of a caller says so: tokens of an identity provider, for instance.
import type { IncomingHttpHeaders } from 'node:http';

export interface Authenticator {
  /** Names it in the log. */
  name: string;
  /**
   * The caller's id (`<workspace>/<name>`), which its owner's `callers.json` must list: what it may do is said there.
   * Undefined: not its business, and the next one, or the key, decides. One that throws counts as that.
   */
  authenticate(headers: Readonly<IncomingHttpHeaders>): string | undefined | Promise<string | undefined>;
}
