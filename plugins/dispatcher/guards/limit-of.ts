// A limit as it holds for one request: the smallest of what the caller's entry, the workspace and the configuration say.
import type { Quota, StorageQuota } from '../../../src/workspace/settings.js';
import type { Candidate, GuardPorts } from '../guard.js';

export function limitOf(
  limit: keyof Quota | keyof StorageQuota,
  workspace: string,
  { request }: Candidate,
  { core }: GuardPorts,
): number {
  const ofCaller: Partial<Quota & StorageQuota> | undefined = core.callers.find(request.caller.id)?.quota;
  const ofWorkspace = core.workspaces.has(workspace) ? core.workspaces.settings(workspace).quota : undefined;
  return Math.min(ofCaller?.[limit] ?? Infinity, ofWorkspace?.[limit] ?? Infinity, core.config.quota[limit]);
}
