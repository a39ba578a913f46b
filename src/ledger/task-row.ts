// A task's row in the mirror: what lists, quotas and followers ask about it, out of its record. Pure.
import type { TaskRow } from '../mirror/rows.js';
import { mayOweReply } from './owed-reply.js';
import { statusSince, type RemoteRef, type TaskRecord, type Watch } from './records.js';
import { blobsOf } from './task-blobs.js';
import { webhookRows } from './webhook-rows.js';

const watchOf = ({ id, agent, state, since }: Watch, remote: RemoteRef | undefined): TaskRow['watch'] => ({
  watchId: id,
  agent,
  state,
  ...(remote?.taskId !== undefined && { remoteTaskId: remote.taskId }),
  since,
});

export function rowOf(record: TaskRecord): TaskRow {
  const { task, envelope } = record;
  const { id, contextId, status, metadata } = task;
  const blobs = blobsOf(task);
  return {
    taskId: id,
    scope: envelope.caller.scope,
    caller: envelope.caller.id,
    agent: envelope.agent,
    contextId,
    ...(envelope.direct && { direct: true }),
    state: status.state,
    statusAt: statusSince(record),
    createdAt: envelope.createdAt,
    seq: envelope.seq,
    head: JSON.stringify({ id, contextId, status, ...(metadata && { metadata }) }),
    messages: envelope.messages,
    ...(envelope.pushConfigs && { webhooks: webhookRows(envelope) }),
    ...(blobs.length > 0 && { blobs }),
    ...(envelope.watch && { watch: watchOf(envelope.watch, envelope.remote) }),
    ...(mayOweReply({ task, envelope }) && { owesReply: true }),
  };
}
