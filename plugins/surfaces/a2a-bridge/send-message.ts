// Sending: hands a checked message to the dispatcher and, where the caller wants to wait, waits for the turn to settle.
import { isSettled, type Message, type Part } from '../../../src/a2a-model.js';
import { AppError } from '../../../src/errors.js';
import type { TaskRecord } from '../../../src/ledger/records.js';
import type { Core } from '../../../src/plugin.js';
import type { Call } from './call.js';
import { GENERAL_SKILL } from './card.js';
import { invalid } from './fields.js';
import { taskNotFound, type IncomingMessage, type SendRequest } from './read-message.js';
import { isOwn, ownTask } from './own-task.js';

export type SendPorts = Pick<Core, 'ledger' | 'prompts' | 'blobs'>;

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
  // The skill that cards show for agents without any names no skill.
  const skill = send.skill === GENERAL_SKILL.id && target.agent.skills.length === 0 ? undefined : send.skill;
  const admission = await ports.prompts
    .submit({
      agent: target.agent.name,
      caller: { id: caller.id, scope: caller.scope },
      message: storeFiles(ports, caller.scope, send.message),
      chain: send.chain,
      surface: 'a2a',
      ...(taskId !== undefined && { taskId }),
      ...(contextId !== undefined && { contextId }),
      ...(skill !== undefined && { skill }),
      ...(send.subject !== undefined && { subject: send.subject }),
      ...(traceparent !== undefined && { traceparent }),
    })
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
export async function settled(ports: Pick<Core, 'ledger'>, call: Call, admitted: Admitted): Promise<TaskRecord> {
  const { id } = admitted.record.task;
  if (isSettled(admitted.record.task.status.state)) return admitted.record;
  const follower = ports.ledger.follow(id, admitted.seq);
  const close = (): void => follower.close();
  call.res.once('close', close);
  try {
    if (follower.replayed || !isSettled(follower.snapshot.task.status.state)) {
      for (let update = await follower.next(); update && !isSettled(update.state);) update = await follower.next();
    }
  } finally {
    call.res.off('close', close);
    follower.close();
  }
  return ports.ledger.get(id) ?? follower.snapshot;
}

function storeFiles({ blobs }: SendPorts, scope: string, message: IncomingMessage): Message {
  const parts = message.parts.map((part): Part => {
    if (!('bytes' in part)) return part;
    const { bytes, ...attributes } = part;
    return { ...blobs.put(scope, bytes), ...attributes };
  });
  return { ...message, parts };
}
