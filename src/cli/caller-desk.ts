// Callers and their keys, by way of the server where one runs and on the files where none does.
import { AppError } from '../errors.js';
import type { CallerDirectory, CallerListing, KeyHint, NewKeyOptions } from '../workspace/callers.js';
import type { OperatorClient } from './operator-client.js';

/** The server also knows when a key was last used. */
export type ShownCaller = CallerListing & { keys: (KeyHint & { lastUsedAt?: string })[] };

export interface CallerDesk {
  list(workspace?: string): Promise<ShownCaller[]>;
  /** Both return the key. */
  add(id: string, options: { note?: string; agents?: string[]; expiresAt?: string }): Promise<string>;
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
  list: async (workspace) => (await client.callers(workspace)).callers,
  add: async (id, options) => (await client.addCaller({ ...callerParts(id), ...options })).key,
  addKey: async (id, options) => (await client.addKey(path(id), options)).key,
  removeKeys: async (id, which) => {
    const query = which === undefined ? {} : KEY_ID.test(which) ? { id: which } : { hint: which };
    return (await client.removeKeys(path(id), query)).removed;
  },
  newWebhookSecret: async (id) => (await client.newWebhookSecret(path(id))).webhookSecret,
  removeWebhookSecret: async (id) => void (await client.removeWebhookSecret(path(id))),
  remove: async (id) => void (await client.removeCaller(path(id))),
});

export function deskOfFiles(callers: CallerDirectory): CallerDesk {
  const named = (id: string): [string, string] => [callerParts(id).workspace, callerParts(id).name];
  return {
    list: (workspace) => Promise.resolve(callers.list(workspace)),
    add: (id, options) => callers.add(...named(id), options),
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
const NO_SECRET = 'The caller has no webhook secret.';

const path = (id: string): string => {
  const { workspace, name } = callerParts(id);
  return `${encodeURIComponent(workspace)}/${encodeURIComponent(name)}`;
};
