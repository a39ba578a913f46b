// Names to addresses without the system's resolver where possible: that one occupies a thread of the pool that files are
// written with, and whoever registers slow names could keep all of them busy.
import { promises as dns } from 'node:dns';

/** All addresses of a name. Rejects with the name service's error, e.g. of code ENOTFOUND. */
export type ResolveName = (host: string) => Promise<string[]>;

const TIMEOUT_MS = 1_500;
const TRIES = 2;

/**
 * Asks the configured name servers. `local`: names that they do not know are looked up as the system does it, hosts file
 * included; only for installations that reach private hosts at all.
 */
export function nameResolver(local: boolean): ResolveName {
  const resolver = new dns.Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  return async (host) => {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    const errors = answers.map((answer) => (answer as PromiseRejectedResult).reason as NodeJS.ErrnoException);
    const unknown = errors.every(({ code }) => code === 'ENOTFOUND' || code === 'ENODATA');
    if (!local || !unknown) throw errors[0] as Error;
    return (await dns.lookup(host, { all: true })).map(({ address }) => address);
  };
}
