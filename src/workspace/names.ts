// Which names and ids are allowed, and how they become file names: no path is built from anything that has not matched
// here, and no two conversations share a file name, on case-insensitive disks either.
import { hash } from 'node:crypto';
import { AppError } from '../errors.js';

/** What names of workspaces, callers, agents and drivers are made of; `NAME_RULE` says it in words. */
export const NAME = /^[a-z0-9-]{1,40}$/;
export const NAME_RULE = 'must be 1 to 40 characters of a-z, 0-9 and -';
/** What a contextId of a client is made of. Case matters. */
export const CONTEXT_ID = /^[A-Za-z0-9_-]{1,100}$/;
/** Lower case only: the id is a file name, and must be the same one on every disk. */
const TASK_ID = /^[a-z0-9_-]{1,64}$/;
const SESSION_FILE = /^[a-z0-9-]{1,40}(\.[a-z0-9-]{1,40})?_[a-z0-9_-]{1,100}(\.[0-9a-f]{16})?$/;
const HAS_CAPITAL = /[A-Z]/;

/** Names with a meaning of their own: in caller ids, session file names, routes and tenants. */
const RESERVED_NAMES: ReadonlySet<string> = new Set(['operator', 'plugin', 'default', 'tasks', 'v1']);

/** True for a name that a caller, a workspace or a remote agent may have. */
export const isName = (name: string): boolean => NAME.test(name) && !RESERVED_NAMES.has(name);

/** Why a name is not allowed, as a sentence without a subject; undefined when it is. Never repeats the name. */
export function nameProblem(name: string): string | undefined {
  if (!NAME.test(name)) return NAME_RULE;
  if (RESERVED_NAMES.has(name)) return 'is reserved';
  return undefined;
}

/** True for a contextId that a client may choose. Case matters. */
export const isContextId = (id: string): boolean => CONTEXT_ID.test(id);

/** True for an id that can be a task's; anything else names no task. */
export const isTaskId = (id: string): boolean => TASK_ID.test(id);

/** True for what `sessionFile` returns. */
export const isSessionFile = (file: string): boolean => SESSION_FILE.test(file);

/** `<workspace>/<name>` taken apart; undefined for the operator, plugins and whatever is no caller id. */
export function splitCallerId(id: string): { workspace: string; name: string } | undefined {
  const slash = id.indexOf('/');
  const workspace = id.slice(0, Math.max(slash, 0));
  const name = id.slice(slash + 1);
  return isName(workspace) && isName(name) ? { workspace, name } : undefined;
}

/**
 * A caller in file names of a workspace: `<name>` for its own callers, `operator`, `plugin.<name>`, and
 * `<workspace>.<name>` for callers of other workspaces. Throws `invalid-params` for what is no caller id.
 */
export function callerFilePart(callerId: string, workspace: string): string {
  if (callerId === 'operator') return callerId;
  const plugin = callerId.startsWith('plugin/') ? callerId.slice('plugin/'.length) : '';
  if (NAME.test(plugin)) return `plugin.${plugin}`;
  const caller = splitCallerId(callerId);
  if (!caller) throw new AppError('invalid-params', 'The caller has no valid id.');
  return caller.workspace === workspace ? caller.name : `${caller.workspace}.${caller.name}`;
}

/**
 * The name, without `.jsonl`, of the file that holds one caller's conversation with a workspace. Throws
 * `invalid-params` for a malformed contextId or caller id.
 */
export function sessionFile(workspace: string, callerId: string, contextId: string): string {
  if (!isContextId(contextId)) throw new AppError('invalid-params', 'The contextId is not valid.');
  // A dot occurs in no contextId, so the folded form can't meet another one's plain form.
  const context = HAS_CAPITAL.test(contextId)
    ? `${contextId.toLowerCase()}.${hash('sha256', contextId).slice(0, 16)}`
    : contextId;
  return `${callerFilePart(callerId, workspace)}_${context}`;
}

/** The scope of the caller whose conversation is in that file of a workspace; undefined for what is no session file. */
export function scopeOfSessionFile(workspace: string, file: string): string | undefined {
  if (!isSessionFile(file)) return undefined;
  const [first = '', name] = file.slice(0, file.indexOf('_')).split('.');
  if (first === 'plugin' || first === 'operator') return 'operator';
  return name === undefined ? workspace : first;
}
