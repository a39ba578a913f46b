// The service of 1.0, lf.a2a.v1.A2AService: the SDK's definition and codecs.
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
import { namedTenant } from '../agent-access.js';
import { EXTENSIONS_HEADER } from '../extensions.js';
import { OPERATIONS, type OperationName } from '../operation.js';
import { PROTOCOL_VERSION } from '../protocol-version.js';
import { readMessageJson } from './read-message-json.js';
import type { ServiceDialect, ServiceMethod } from './service-dialect.js';

/** `SendMessage` is `sendMessage` in the SDK's definition. */
const definitionOf = (name: OperationName) =>
  A2AService[(name.charAt(0).toLowerCase() + name.slice(1)) as keyof typeof A2AService];

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

export const CURRENT_SERVICE: ServiceDialect = {
  version: PROTOCOL_VERSION,
  service: 'lf.a2a.v1.A2AService',
  methods: Object.fromEntries(
    OPERATIONS.map((name) => [name, { ...definitionOf(name), requestDeserialize: (bytes: Buffer) => bytes }]),
  ) as unknown as Record<OperationName, ServiceMethod>,
  extensionsHeader: EXTENSIONS_HEADER,
  read(name, message) {
    const decode = (): unknown => REQUESTS[name].toJSON(definitionOf(name).requestDeserialize(message) as never);
    const params = readMessageJson(name, decode);
    const tenant = namedTenant([params]);
    return { name, params, ...(tenant !== undefined && { tenant }) };
  },
  answer: (_name, value) => value,
};
