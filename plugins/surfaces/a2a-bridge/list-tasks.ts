// ListTasks: the caller's tasks with the addressed agent, newest change of state first.
import type { ListTasksResponse, Task as SdkTask } from '@a2a-js/sdk';
import type { Core } from '../../../src/plugin.js';
import type { Call } from './call.js';
import type { ListRequest } from './operation.js';
import { readPageToken, writePageToken } from './page-token.js';
import { blobReader, toSdkTask } from './to-sdk.js';

/** One page. Throws `invalid-params` for a page token of another list. */
export function listTasks(
  { ledger, blobs }: Pick<Core, 'ledger' | 'blobs'>,
  { caller, target }: Pick<Call, 'caller' | 'target'>,
  request: ListRequest,
): ListTasksResponse {
  const { contextId, state, statusSince, pageSize, pageToken, historyLength, includeArtifacts } = request;
  const binding = JSON.stringify([caller.id, target.agent.name, contextId, state, statusSince]);
  const page = ledger.list({
    caller: caller.id,
    agent: target.agent.name,
    // Those behind messages are internal, however the agent answers now.
    direct: false,
    pageSize,
    ...(contextId !== undefined && { contextId }),
    ...(state !== undefined && { state }),
    ...(statusSince !== undefined && { statusSince }),
    ...(pageToken !== undefined && { after: readPageToken(pageToken, binding) }),
  });
  const whole = historyLength > 0 || includeArtifacts;
  const tasks = page.tasks.map(({ task, record }): SdkTask => {
    // Rows hold enough for a plain list; the rest is in the task itself, unless it was purged a moment ago.
    const full = whole ? ledger.get(record.taskId)?.task : undefined;
    return toSdkTask(full ?? { ...task, artifacts: [], history: [] }, blobReader(blobs, record.scope), {
      historyLength,
      includeArtifacts,
    });
  });
  return {
    tasks,
    nextPageToken: page.next ? writePageToken(page.next, binding) : '',
    pageSize,
    totalSize: page.total,
  };
}
