// What a workspace's inbox may hold: the smaller of what its owner and what the configuration say.
import type { WorkspaceDirectory } from './directory.js';
import type { StorageQuota } from './settings.js';

type InboxQuota = Pick<StorageQuota, 'inboxFiles' | 'inboxBytes'>;

export function inboxLimits(
  config: { quota: InboxQuota },
  workspaces: Pick<WorkspaceDirectory, 'has' | 'settings'>,
  workspace: string,
): InboxQuota {
  const own = workspaces.has(workspace) ? workspaces.settings(workspace).quota : {};
  return {
    inboxFiles: Math.min(own.inboxFiles ?? Infinity, config.quota.inboxFiles),
    inboxBytes: Math.min(own.inboxBytes ?? Infinity, config.quota.inboxBytes),
  };
}
