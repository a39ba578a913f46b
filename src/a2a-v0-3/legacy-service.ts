// The gRPC service of 0.3 (`a2a.v1.A2AService`): its methods by the names that 1.0 gave them, their messages from and to
// ProtoJSON, which is what HTTP+JSON of 0.3 speaks, too.
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { legacyMessage } from './legacy-schema.js';
import { protoFromJson, protoToJson } from './proto-json.js';
import type { Json } from './wire.js';

/** One message on the wire. */
interface LegacyCodec {
  /** Members that the schema does not have are left out. */
  write(json: Json): Buffer;
  /** Throws for bytes that are no such message. */
  read(bytes: Uint8Array): Json;
}

export interface LegacyMethod {
  /** `/a2a.v1.A2AService/GetTask`. */
  path: string;
  request: LegacyCodec;
  response: LegacyCodec;
}

/** Messages within messages. A level of JSON takes up to three. */
const RECURSION = 300;

function codec(name: string): LegacyCodec {
  const type = legacyMessage(name);
  return {
    write: (json) => Buffer.from(toBinary(type, protoFromJson(type, json))),
    read: (bytes) =>
      protoToJson(type, fromBinary(type, bytes, { recursionLimit: RECURSION, readUnknownFields: false })),
  };
}

export const LEGACY_SERVICE = 'a2a.v1.A2AService';

function method(name: string, answer: string, question = `${name}Request`): LegacyMethod {
  return { path: `/${LEGACY_SERVICE}/${name}`, request: codec(question), response: codec(answer) };
}

export const LEGACY_METHODS = {
  SendMessage: method('SendMessage', 'SendMessageResponse'),
  SendStreamingMessage: method('SendStreamingMessage', 'StreamResponse', 'SendMessageRequest'),
  GetTask: method('GetTask', 'Task'),
  CancelTask: method('CancelTask', 'Task'),
  SubscribeToTask: method('TaskSubscription', 'StreamResponse'),
  CreateTaskPushNotificationConfig: method('CreateTaskPushNotificationConfig', 'TaskPushNotificationConfig'),
  GetTaskPushNotificationConfig: method('GetTaskPushNotificationConfig', 'TaskPushNotificationConfig'),
  ListTaskPushNotificationConfigs: method('ListTaskPushNotificationConfig', 'ListTaskPushNotificationConfigResponse'),
  DeleteTaskPushNotificationConfig: method('DeleteTaskPushNotificationConfig', 'Nothing'),
  GetExtendedAgentCard: method('GetAgentCard', 'AgentCard'),
} as const satisfies Record<string, LegacyMethod>;
