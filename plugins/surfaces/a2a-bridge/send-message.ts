// Sending: hands a checked message to the dispatcher and, where the caller wants to wait, waits for the turn to settle.
import { isSettled, type Message, type Part } from '../../../src/a2a-model.js';
import { AppError } from '../../../src/errors.js';
import { settle } from '../../../src/executors/settle.js';
import type { TaskRecord } from '../../../src/ledger/records.js';
import type { Core } from '../../../src/plugin.js';
import type { BlobRef } from '../../../src/workspace/blob-store.js';
import type { Call } from './call.js';
import { GENERAL_SKILL } from './card.js';
import { invalid } from './fields.js';
import { taskNotFound, type IncomingMessage, type SendRequest } from './read-message.js';
import { isOwn, ownTask } from './own-task.js';
import { admitConfig, type PushPorts } from './push-configs.js';

export type SendPorts = Pick<Core, 'prompts' | 'blobs'> & PushPorts;

/** A committed task and the position its record shows. */
export interface Admitted {
  record: TaskRecord;
  seq: number;
}

/** Gets the message admitted. Throws the refusal; nothing exists then. */
export async function submit(ports: SendPorts, call: Call, send: SendRequest): Promise<Admitted> {
  const { caller, target } = call;
  const { taskId, contextId } = send.message;
  if (taskId !== undefined) {
    const { task } = ownTask(ports.ledger, call, taskId);
    if (contextId !== undefined && contextId !== task.contextId) {
      throw invalid('message.contextId', "differs from the task's context");
    }
  }
  const { traceparent } = call;
  const pushConfig =
    send.pushConfig && (await admitConfig(ports, send.pushConfig, 'configuration.taskPushNotificationConfig.url'));
  // The skill that cards show for agents without any names no skill.
  const skill = send.skill === GENERAL_SKILL.id && target.agent.skills.length === 0 ? undefined : send.skill;
  const admission = await ports.blobs
    .tentatively(caller.scope, (put) =>
      ports.prompts.submit({
        agent: target.agent.name,
        caller: { id: caller.id, scope: caller.scope },
        message: storeFiles(put, send.message),
        chain: send.chain,
        surface: 'a2a',
        ...(taskId !== undefined && { taskId }),
        ...(contextId !== undefined && { contextId }),
        ...(skill !== undefined && { skill }),
        ...(send.subject !== undefined && { subject: send.subject }),
        ...(traceparent !== undefined && { traceparent }),
        ...(pushConfig && { pushConfig }),
      }),
    )
    .catch((error: unknown) => {
      throw call.target.byPath ? error : agentAsParameter(error);
    });
  if (admission.kind === 'admitted') return { record: admission.record, seq: admission.seq };
  const record = ports.ledger.get(admission.taskId);
  if (!record) throw taskNotFound();
  if (!isOwn(record, call)) throw invalid('message.messageId', 'was used before for another agent');
  return { record, seq: record.envelope.seq };
}

/** Away from its own address an agent's name is a parameter. */
function agentAsParameter(error: unknown): unknown {
  const unknownAgent = error instanceof AppError && error.code === 'agent-not-found';
  return unknownAgent ? new AppError('invalid-params', error.message) : error;
}

/** Resolves with the task once it is terminal or waits for somebody; earlier when the caller has hung up. */
export async function settled({ ledger }: Pick<Core, 'ledger'>, call: Call, admitted: Admitted): Promise<TaskRecord> {
  const { record, seq } = admitted;
  if (isSettled(record.task.status.state)) return record;
  const hangUp = new AbortController();
  const stopListening = call.onGone(() => hangUp.abort());
  try {
    return await settle(record.task.id, { ledger, signal: hangUp.signal, afterSeq: seq });
  } finally {
    stopListening();
  }
}

function storeFiles(put: (bytes: Buffer) => BlobRef, message: IncomingMessage): Message {
  const parts = message.parts.map((part): Part => {
    if (!('bytes' in part)) return part;
    const { bytes, ...attributes } = part;
    return { ...put(bytes), ...attributes };
  });
  return { ...message, parts };
}
