// Variables that settings name: keys of model endpoints, and what child processes are given. The switchboard's own stay
// out of reach, and nothing is handed on that was not named.
import type { Secrets } from './secrets/secrets.js';
import { secretsOfUrl } from './secrets/secret-values.js';

export type Variables = Readonly<Record<string, string | undefined>>;

export interface Environment {
  /**
   * The value of a variable, kept out of logs and answers from here on; undefined when it is not set, empty, or one of
   * the switchboard's own.
   */
  secret(name: string): string | undefined;
  /** A child process's whole environment: where programs are and how to write, and the named variables that are set. */
  forChild(names?: readonly string[]): Record<string, string>;
}

const SECRET_LIKE = /key|token|secret|pass|auth|cred/i;
/** Says nothing about who runs the process and opens no door. */
const PLAIN = ['PATH', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR'];

export function createEnvironment(variables: Variables, secrets: Pick<Secrets, 'add'>): Environment {
  const value = (name: string): string | undefined =>
    /^switchboard_/i.test(name) || !Object.hasOwn(variables, name) ? undefined : variables[name] || undefined;
  const secret = (name: string): string | undefined => {
    const found = value(name);
    if (found !== undefined) for (const one of [found, ...secretsOfUrl(found)]) secrets.add(one);
    return found;
  };
  const open = (name: string): string | undefined => {
    const found = value(name);
    for (const one of secretsOfUrl(found ?? '')) secrets.add(one);
    return found;
  };
  return {
    secret,
    forChild(names = []) {
      const entries = [
        ...PLAIN.map((name) => [name, value(name)] as const),
        ...names.map((name) => [name, SECRET_LIKE.test(name) ? secret(name) : open(name)] as const),
      ];
      return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
    },
  };
}
