// Callers and their keys, by way of the server where one runs and on the files where none does.
import { AppError } from '../errors.js';
import type { CallerDirectory, CallerListing } from '../workspace/callers.js';
import type { OperatorClient } from './operator-client.js';

export interface CallerDesk {
  list(workspace?: string): Promise<CallerListing[]>;
  /** Both return the key. */
  add(id: string, options: { note?: string; agents?: string[]; expiresAt?: string }): Promise<string>;
  addKey(id: string, options: { expiresAt?: string }): Promise<string>;
  /** Returns how many went. */
  removeKeys(id: string, hint?: string): Promise<number>;
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
  removeKeys: async (id, hint) => (await client.removeKeys(path(id), hint)).removed,
  remove: async (id) => void (await client.removeCaller(path(id))),
});

export function deskOfFiles(callers: CallerDirectory): CallerDesk {
  return {
    list: (workspace) => Promise.resolve(callers.list(workspace)),
    add: (id, options) => callers.add(callerParts(id).workspace, callerParts(id).name, options),
    addKey: (id, options) => callers.addKey(callerParts(id).workspace, callerParts(id).name, options),
    removeKeys: (id, hint) => callers.removeKeys(callerParts(id).workspace, callerParts(id).name, hint),
    remove: (id) => callers.remove(callerParts(id).workspace, callerParts(id).name),
  };
}

const path = (id: string): string => {
  const { workspace, name } = callerParts(id);
  return `${encodeURIComponent(workspace)}/${encodeURIComponent(name)}`;
};
