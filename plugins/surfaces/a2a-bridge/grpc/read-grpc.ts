// A gRPC message as the parameters that every binding is read from: ProtoJSON, so that one reader checks them all.
import {
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetExtendedAgentCardRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTasksRequest,
  SendMessageRequest,
  SubscribeToTaskRequest,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { AppError } from '../../../../src/errors.js';
import { MAX_DEPTH } from '../../../../src/strict-json.js';
import { namedTenant } from '../agent-access.js';
import { Fields } from '../fields.js';
import type { OperationName } from '../operation.js';
import type { ReadRequest } from '../read-request.js';

export type Method = keyof typeof A2AService;

/** `SendMessage` → `sendMessage`: how the service's definition names an operation. */
export const methodOf = (name: OperationName): Method => (name.charAt(0).toLowerCase() + name.slice(1)) as Method;

const REQUESTS: Record<OperationName, { toJSON(message: never): unknown }> = {
  SendMessage: SendMessageRequest,
  SendStreamingMessage: SendMessageRequest,
  GetTask: GetTaskRequest,
  ListTasks: ListTasksRequest,
  CancelTask: CancelTaskRequest,
  SubscribeToTask: SubscribeToTaskRequest,
  CreateTaskPushNotificationConfig: TaskPushNotificationConfig,
  GetTaskPushNotificationConfig: GetTaskPushNotificationConfigRequest,
  ListTaskPushNotificationConfigs: ListTaskPushNotificationConfigsRequest,
  DeleteTaskPushNotificationConfig: DeleteTaskPushNotificationConfigRequest,
  GetExtendedAgentCard: GetExtendedAgentCardRequest,
};

/** Throws AppErrors `parse-error`, `invalid-request` and `invalid-params`. */
export function readGrpc(name: OperationName, bytes: Buffer): ReadRequest {
  const json = decode(name, bytes);
  checkValues(json, 1);
  const params = Fields.of(json);
  const tenant = namedTenant([params]);
  return { name, params, ...(tenant !== undefined && { tenant }) };
}

function decode(name: OperationName, bytes: Buffer): unknown {
  try {
    return REQUESTS[name].toJSON(A2AService[methodOf(name)].requestDeserialize(bytes) as never);
  } catch {
    throw new AppError('parse-error', `The message is no ${name} request, or nested too deep.`);
  }
}

/** What the wire can carry and JSON can't, and what JSON bodies may not be either. */
function checkValues(value: unknown, depth: number): void {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new AppError('invalid-params', 'A number is not finite.');
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth > MAX_DEPTH) {
    throw new AppError('invalid-request', `The message is nested deeper than ${MAX_DEPTH} levels.`);
  }
  for (const member of Object.values(value)) checkValues(member, depth + 1);
}
