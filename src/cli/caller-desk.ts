// Callers and their keys, by way of the server where one runs and on the files where none does.
import { AppError } from '../errors.js';
import type { CallersAnswer, NewCallersKey } from '../caller-wire.js';
import type { CallerListing, KeyHint, NewKeyOptions } from '../workspace/callers.js';
import { problemText } from '../workspace/file-problems.js';
import type { LocalHome } from './local-home.js';
import type { OperatorClient } from './operator-client.js';

/** The server also knows when a key was last used. */
export type ShownCaller = CallerListing & { keys: (KeyHint & { lastUsedAt?: string })[] };

export interface ShownCallers {
  callers: ShownCaller[];
  /** What is wrong with the files: callers may be missing. */
  problems?: string[];
}

export type NewKey = Pick<NewCallersKey, 'key' | 'unknownAgents'>;

export interface CallerDesk {
  list(workspace?: string): Promise<ShownCallers>;
  add(id: string, options: { note?: string; agents?: string[]; expiresAt?: string }): Promise<NewKey>;
  /** Returns the key. */
  addKey(id: string, options: NewKeyOptions): Promise<string>;
  /** By id or hint. Returns how many went. */
  removeKeys(id: string, which?: string): Promise<number>;
  /** Returns the secret. */
  newWebhookSecret(id: string): Promise<string>;
  removeWebhookSecret(id: string): Promise<void>;
  remove(id: string): Promise<void>;
}

/** `<workspace>/<name>` taken apart. Throws `invalid-params`. */
export function callerParts(id: string): { workspace: string; name: string } {
  const [workspace, name, ...rest] = id.split('/');
  if (workspace && name && rest.length === 0) return { workspace, name };
  throw new AppError('invalid-params', `A caller is named <workspace>/<name>, e.g. demo/guest; not "${id}".`);
}

export const deskOfServer = (client: OperatorClient): CallerDesk => ({
  list: (workspace): Promise<CallersAnswer> => client.callers(workspace),
  add: (id, options) => client.addCaller({ ...callerParts(id), ...options }),
  addKey: async (id, options) => (await client.addKey(path(id), options)).key,
  removeKeys: async (id, which) => {
    const query = which === undefined ? {} : KEY_ID.test(which) ? { id: which } : { hint: which };
    return (await client.removeKeys(path(id), query)).removed;
  },
  newWebhookSecret: async (id) => (await client.newWebhookSecret(path(id))).webhookSecret,
  removeWebhookSecret: async (id) => void (await client.removeWebhookSecret(path(id))),
  remove: async (id) => void (await client.removeCaller(path(id))),
});

export function deskOfFiles({ callers, workspaces, knows }: LocalHome): CallerDesk {
  const named = (id: string): [string, string] => [callerParts(id).workspace, callerParts(id).name];
  return {
    list: async (workspace) => {
      if (workspace !== undefined && !workspaces.has(workspace)) throw new AppError('not-found', NO_WORKSPACE);
      const found = callers.list(workspace);
      const problems = workspaces
        .problems()
        .filter(({ file, workspace: of }) => file === 'callers.json' && (workspace ?? of) === of);
      return { callers: found, ...(problems.length > 0 && { problems: problems.map(problemText) }) };
    },
    add: async (id, options) => {
      const key = await callers.add(...named(id), options);
      return { key, unknownAgents: (options.agents ?? []).filter((agent) => !knows(agent, callerParts(id).workspace)) };
    },
    addKey: (id, options) => callers.addKey(...named(id), options),
    removeKeys: (id, which) => callers.removeKeys(...named(id), which),
    newWebhookSecret: (id) => callers.newWebhookSecret(...named(id)),
    removeWebhookSecret: async (id) => {
      if (!(await callers.removeWebhookSecret(...named(id)))) throw new AppError('not-found', NO_SECRET);
    },
    remove: (id) => callers.remove(...named(id)),
  };
}

const KEY_ID = /^[0-9a-f]{16}$/;
const NO_WORKSPACE = 'There is no such workspace.';
const NO_SECRET = 'The caller has no webhook secret.';

const path = (id: string): string => {
  const { workspace, name } = callerParts(id);
  return `${encodeURIComponent(workspace)}/${encodeURIComponent(name)}`;
};
