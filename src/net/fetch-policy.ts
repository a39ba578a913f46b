// On whose word a request is made: that decides which addresses it may reach. Pure.

type FetchPurpose = 'webhook' | 'file' | 'remote-agent' | 'model' | 'tool' | 'notifier';

export interface FetchPolicy {
  /** What for, as the log names it. Decides nothing. */
  purpose: FetchPurpose;
  /**
   * True when the operator or the owner wrote the URL down: it may lead to a private address, also over http. False for
   * every URL that came over the wire, from a caller or from another agent, its card included.
   */
  trusted: boolean;
  /**
   * The one host that the trust is in, as in a URL. Others are reached as by a stranger: for clients that are handed
   * further URLs by the host they talk to.
   */
  host?: string;
}

/** True when the policy's trust covers this host. */
export function trusts({ trusted, host }: FetchPolicy, urlHost: string): boolean {
  return trusted && (host === undefined || plainHost(host) === plainHost(urlHost));
}

/** One spelling of a host: no brackets, no trailing dot, lower case. */
export const plainHost = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
