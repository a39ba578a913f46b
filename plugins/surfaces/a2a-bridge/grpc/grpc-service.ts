// The service lf.a2a.v1.A2AService over the same operations as the HTTP bindings. The SDK gives its definition; its adapter
// is not used, since it answers unknown errors without details and writes streams without waiting for their readers.
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { Metadata, type handleServerStreamingCall, type handleUnaryCall, type ServiceDefinition } from '@grpc/grpc-js';
import { AppError } from '../../../../src/errors.js';
import { checkedCall, extensionsFor, type CheckPorts } from '../checked-call.js';
import { EXTENSIONS_HEADER } from '../extensions.js';
import { isStreaming, OPERATIONS, type OperationName } from '../operation.js';
import type { Operations } from '../operations.js';
import { negotiateVersion, PROTOCOL_VERSION } from '../protocol-version.js';
import { GrpcCall, type StreamCall, type UnaryCall } from './grpc-call.js';
import type { GrpcDoor } from './grpc-door.js';
import { grpcStatus } from './grpc-status.js';
import type { GrpcStream, GrpcStreams } from './grpc-streams.js';
import { metadataHeaders } from './metadata-headers.js';
import { methodOf, readGrpc } from './read-grpc.js';

export interface GrpcServiceDeps {
  core: CheckPorts;
  operations: Operations;
  door: Pick<GrpcDoor, 'admittedOf'>;
  streams: Pick<GrpcStreams, 'take'>;
  /** What may be told of an error; the rest is logged. */
  told(error: unknown, method: string): AppError;
}

/** The SDK's definition, except that messages are decoded by the handlers, who can say what is wrong with them. */
export const GRPC_SERVICE = Object.fromEntries(
  Object.entries(A2AService).map(([method, definition]) => [
    method,
    { ...definition, requestDeserialize: (bytes: Buffer) => bytes },
  ]),
) as unknown as ServiceDefinition;

type Unary = Exclude<OperationName, 'SendStreamingMessage' | 'SubscribeToTask'>;

/** Every operation's answer in the message that the definition encodes. */
const ANSWERS: Record<Unary, (operations: Operations, call: GrpcCall) => unknown> = {
  SendMessage: async (operations, call) => {
    const value = await operations.sendMessage(call);
    return { payload: { $case: 'messageId' in value ? 'message' : 'task', value } };
  },
  GetTask: (operations, call) => operations.getTask(call),
  ListTasks: (operations, call) => operations.listTasks(call),
  CancelTask: (operations, call) => operations.cancelTask(call),
  CreateTaskPushNotificationConfig: (operations, call) => operations.createConfig(call),
  GetTaskPushNotificationConfig: (operations, call) => operations.getConfig(call),
  ListTaskPushNotificationConfigs: (operations, call) => operations.listConfigs(call),
  DeleteTaskPushNotificationConfig: async (operations, call) => {
    await operations.deleteConfig(call);
    return {};
  },
  GetExtendedAgentCard: (operations, call) => operations.extendedCard(call),
};

const CUT = new AppError('overloaded', 'The stream was cut before the task ended; subscribe to it again.');

/** The handlers, by the definition's names. */
export function grpcHandlers(
  deps: GrpcServiceDeps,
): Record<string, handleUnaryCall<Buffer, unknown> | handleServerStreamingCall<Buffer, unknown>> {
  const { operations, streams, told } = deps;

  const unary =
    (name: Unary): handleUnaryCall<Buffer, unknown> =>
    (grpc, callback) => {
      const answer = async (): Promise<unknown> => ANSWERS[name](operations, enter(deps, name, grpc));
      void answer().then(
        (value) => callback(null, value),
        (error: unknown) => callback(grpcStatus(told(error, grpc.getPath()))),
      );
    };

  const streaming =
    (name: OperationName): handleServerStreamingCall<Buffer, unknown> =>
    async (grpc) => {
      let place: GrpcStream | undefined;
      try {
        const call = enter(deps, name, grpc);
        // Before anything is created.
        place = streams.take(deps.door.admittedOf(grpc.metadata));
        const opening = name === 'SubscribeToTask' ? operations.openSubscription(call) : operations.openSend(call);
        const stream = await opening;
        // The caller hears now that the stream is open, also when the first event takes its time.
        grpc.sendMetadata(new Metadata());
        if (await place.write(grpc, call, stream)) grpc.end();
        else grpc.emit('error', grpcStatus(CUT));
      } catch (error) {
        grpc.emit('error', grpcStatus(told(error, grpc.getPath())));
      } finally {
        place?.release();
      }
    };

  return Object.fromEntries(
    OPERATIONS.map((name) => [methodOf(name), isStreaming(name) ? streaming(name) : unary(name as Unary)]),
  );
}

/** Checks what the call says. Throws AppErrors. */
function enter({ core, door }: GrpcServiceDeps, name: OperationName, grpc: UnaryCall | StreamCall): GrpcCall {
  const headers = metadataHeaders(grpc.metadata);
  if (negotiateVersion(headers['a2a-version'], undefined) !== PROTOCOL_VERSION) {
    throw new AppError(
      'version-not-supported',
      `This service speaks A2A ${PROTOCOL_VERSION}; send a2a-version: ${PROTOCOL_VERSION} in the metadata.`,
    );
  }
  const asked = { caller: door.admittedOf(grpc.metadata).caller, version: PROTOCOL_VERSION, headers } as const;
  const active = extensionsFor(core, asked);
  if (active.length > 0) {
    const metadata = new Metadata();
    metadata.set(EXTENSIONS_HEADER, active.join(', '));
    grpc.sendMetadata(metadata);
  }
  const { target, operation } = checkedCall(core, asked, readGrpc(name, grpc.request));
  // The interface of an agent's own card names it by tenant, as its HTTP interfaces do by path.
  const address = { ...target, byPath: target.tenant !== undefined };
  return new GrpcCall(grpc, headers, asked.caller, address, operation);
}
