// Requests as each version and binding spells them. The inside is 1.0's: what 0.3 has no word for is left out. Pure.
import { legacyRestPart, legacyRpcPart } from '../a2a-v0-3/legacy-part.js';
import type { WirePart } from '../a2a-v0-3/wire.js';
import type { ProtocolVersion } from './peer-card.js';
import type { RemoteMessage, RemotePart, SendRequest } from './remote-port.js';

export type Json = Record<string, unknown>;

/** An operation with its parameters in 1.0's own words. */
export type Operation =
  | { name: 'SendMessage'; params: SendRequest }
  | { name: 'GetTask'; params: { id: string; historyLength?: number } }
  | { name: 'ListTasks'; params: { contextId?: string; pageSize?: number; pageToken?: string; historyLength?: number } }
  | { name: 'CancelTask' | 'SubscribeToTask'; params: { id: string } }
  | { name: 'CreateTaskPushNotificationConfig'; params: { taskId: string; id: string; url: string; token: string } }
  | { name: 'DeleteTaskPushNotificationConfig'; params: { taskId: string; id: string } }
  | { name: 'GetExtendedAgentCard'; params: Record<string, never> };

export type OperationName = Operation['name'];

/** The parameters as 1.0 writes them on every binding, without the tenant. */
export function writeParams(operation: Operation): Json {
  if (operation.name !== 'SendMessage') return { ...operation.params };
  const { message, metadata } = operation.params;
  return {
    message: { ...message, parts: message.parts.map(writePart) },
    configuration: { returnImmediately: true },
    ...(metadata && { metadata }),
  };
}

function writePart(part: RemotePart): WirePart {
  if (!('bytes' in part)) return { ...part };
  const { bytes, ...rest } = part;
  return { raw: base64(bytes), ...rest };
}

/** The parameters over JSON-RPC 0.3. */
export function writeLegacyParams(operation: Operation): Json {
  switch (operation.name) {
    case 'SendMessage': {
      const { message, metadata } = operation.params;
      return {
        message: { kind: 'message', ...message, role: legacyRole(message), parts: writeParts(message, legacyRpcPart) },
        configuration: { blocking: false, acceptedOutputModes: [] },
        ...(metadata && { metadata }),
      };
    }
    case 'CreateTaskPushNotificationConfig': {
      const { taskId, ...pushNotificationConfig } = operation.params;
      return { taskId, pushNotificationConfig };
    }
    case 'DeleteTaskPushNotificationConfig':
      return { id: operation.params.taskId, pushNotificationConfigId: operation.params.id };
    default:
      return { ...operation.params };
  }
}

/** The body over HTTP+JSON 0.3, which is ProtoJSON of that version's schema. */
export function writeLegacyBody(operation: Operation): Json {
  switch (operation.name) {
    case 'SendMessage': {
      const { message, metadata } = operation.params;
      const { parts: _parts, ...rest } = message;
      return {
        message: { ...rest, content: writeParts(message, legacyRestPart) },
        configuration: { blocking: false, acceptedOutputModes: [] },
        ...(metadata && { metadata }),
      };
    }
    case 'CreateTaskPushNotificationConfig': {
      const { taskId, ...pushNotificationConfig } = operation.params;
      const name = `tasks/${taskId}/pushNotificationConfigs/${pushNotificationConfig.id}`;
      const config = { name, pushNotificationConfig };
      // A request of its own in the schema, the bare config in the prose: servers read the one or the other.
      return { parent: `tasks/${taskId}`, configId: pushNotificationConfig.id, config, ...config };
    }
    default:
      return {};
  }
}

/** The message over gRPC 0.3: the body of HTTP+JSON where that has one, and resource names for what stands in its paths. */
export function writeLegacyMessage(operation: Operation): Json {
  const { name, params } = operation;
  switch (name) {
    case 'GetTask':
    case 'CancelTask':
    case 'SubscribeToTask': {
      const { id, ...rest } = params;
      return { name: `tasks/${id}`, ...rest };
    }
    case 'DeleteTaskPushNotificationConfig':
      return { name: `tasks/${params.taskId}/pushNotificationConfigs/${params.id}` };
    default:
      return writeLegacyBody(operation);
  }
}

const legacyRole = ({ role }: RemoteMessage): string => (role === 'ROLE_USER' ? 'user' : 'agent');

const writeParts = ({ parts }: RemoteMessage, write: (part: WirePart) => Json): Json[] =>
  parts.map((part) => write(writePart(part)));

const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');

/** The headers that name the version and the extensions in use, by the version's own words. */
export const protocolHeaders = (protocol: ProtocolVersion, extensions: readonly string[]): Record<string, string> => ({
  ...(protocol === '1.0' && { 'A2A-Version': '1.0' }),
  ...(extensions.length > 0 && {
    [protocol === '1.0' ? 'A2A-Extensions' : 'X-A2A-Extensions']: extensions.join(', '),
  }),
});
