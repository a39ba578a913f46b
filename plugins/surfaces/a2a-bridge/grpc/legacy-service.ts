// The service of 0.3, a2a.v1.A2AService: a translation between its messages and the operations of 1.0, by way of the
// ProtoJSON that HTTP+JSON of 0.3 speaks as well.
import {
  AgentCard,
  ListTaskPushNotificationConfigsResponse,
  SendMessageResponse,
  Task,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk';
import { LEGACY_METHODS, LEGACY_SERVICE, type LegacyMethod } from '../../../../src/a2a-v0-3/legacy-service.js';
import type { Json, WireCard } from '../../../../src/a2a-v0-3/wire.js';
import { LEGACY_EXTENSIONS_HEADER } from '../extensions.js';
import { Fields } from '../fields.js';
import { isStreaming, type OperationName } from '../operation.js';
import { LEGACY_VERSION } from '../protocol-version.js';
import { legacyCard } from '../v0-3/legacy-card.js';
import { LEGACY_REST } from '../v0-3/legacy-shape.js';
import { readLegacyGrpc } from '../v0-3/read-legacy-grpc.js';
import { readMessageJson } from './read-message-json.js';
import type { ServiceDialect, ServiceMethod, UnaryName } from './service-dialect.js';

const METHODS: Partial<Record<OperationName, LegacyMethod>> = LEGACY_METHODS;

/** The answers of 1.0 as JSON. */
const ANSWERS: Partial<Record<UnaryName, { toJSON(value: never): unknown }>> = {
  SendMessage: SendMessageResponse,
  GetTask: Task,
  CancelTask: Task,
  CreateTaskPushNotificationConfig: TaskPushNotificationConfig,
  GetTaskPushNotificationConfig: TaskPushNotificationConfig,
  ListTaskPushNotificationConfigs: ListTaskPushNotificationConfigsResponse,
  GetExtendedAgentCard: AgentCard,
};

/** `sign` adds signatures to a card as JSON-RPC of 0.3 writes it, which is what its readers verify. */
export const legacyService = (sign: (card: Json) => Json): ServiceDialect => ({
  version: LEGACY_VERSION,
  service: LEGACY_SERVICE,
  methods: Object.fromEntries(Object.entries(METHODS).map(([name, method]) => [name, defined(name, method)])),
  extensionsHeader: LEGACY_EXTENSIONS_HEADER,
  read(name, message) {
    const params = readMessageJson(name, () => METHODS[name]?.request.read(message));
    return { name, params: Fields.of(readLegacyGrpc(name, params)) };
  },
  answer(name, value) {
    const said = ANSWERS[name]?.toJSON(value) ?? {};
    const shaped = LEGACY_REST.result(name, said) as Json;
    if (name !== 'GetExtendedAgentCard') return shaped;
    return { ...shaped, signatures: sign(legacyCard(said as WireCard))['signatures'] };
  },
  legacy: LEGACY_REST,
});

function defined(name: string, { path, response }: LegacyMethod): ServiceMethod {
  return {
    path,
    requestStream: false,
    responseStream: isStreaming(name as OperationName),
    requestSerialize: (bytes) => bytes,
    requestDeserialize: (bytes) => bytes,
    responseSerialize: (json) => response.write(json as Json),
    responseDeserialize: (bytes) => response.read(bytes),
  };
}
