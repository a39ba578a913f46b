// A gRPC service over the same operations as the HTTP bindings, whichever version's messages it speaks. The SDK's adapters
// are not used, since they answer unknown errors without details and write streams without waiting for their readers.
import { Metadata, type handleServerStreamingCall, type handleUnaryCall, type StatusObject } from '@grpc/grpc-js';
import { AppError } from '../../../../src/errors.js';
import { checkedCall, extensionsFor, type CheckPorts } from '../checked-call.js';
import { isStreaming, type OperationName } from '../operation.js';
import type { Operations } from '../operations.js';
import { negotiateVersion } from '../protocol-version.js';
import { GrpcCall, type StreamCall, type UnaryCall } from './grpc-call.js';
import type { GrpcDoor } from './grpc-door.js';
import { grpcStatus } from './grpc-status.js';
import type { GrpcStream, GrpcStreams } from './grpc-streams.js';
import { metadataHeaders } from './metadata-headers.js';
import type { ServiceDialect, UnaryName } from './service-dialect.js';

interface GrpcServiceDeps {
  core: CheckPorts;
  operations: Operations;
  door: Pick<GrpcDoor, 'admittedOf'>;
  streams: Pick<GrpcStreams, 'take'>;
  /** What may be told of an error; the rest is logged. */
  told(error: unknown, method: string): AppError;
}

/** Every operation's answer in the SDK's message. */
const ANSWERS: Record<UnaryName, (operations: Operations, call: GrpcCall) => unknown> = {
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
  GetExtendedAgentCard: (operations, call) => (call.legacy ? operations.card(call) : operations.extendedCard(call)),
};

const CUT = new AppError('overloaded', 'The stream was cut before the task ended; subscribe to it again.');

/** The handlers, by the names of the operations. */
export function grpcHandlers(
  deps: GrpcServiceDeps,
  dialect: ServiceDialect,
): Record<string, handleUnaryCall<Buffer, unknown> | handleServerStreamingCall<Buffer, unknown>> {
  const { operations, streams, told } = deps;
  const refused = (error: unknown, grpc: UnaryCall | StreamCall): StatusObject =>
    grpcStatus(told(error, grpc.getPath()), dialect.legacy !== undefined);

  const unary =
    (name: UnaryName): handleUnaryCall<Buffer, unknown> =>
    (grpc, callback) => {
      const answer = async (): Promise<unknown> =>
        dialect.answer(name, (await ANSWERS[name](operations, enter(deps, dialect, name, grpc))) as never);
      void answer().then(
        (value) => callback(null, value),
        (error: unknown) => callback(refused(error, grpc)),
      );
    };

  const streaming =
    (name: OperationName): handleServerStreamingCall<Buffer, unknown> =>
    async (grpc) => {
      let place: GrpcStream | undefined;
      try {
        const call = enter(deps, dialect, name, grpc);
        // Before anything is created.
        place = streams.take(deps.door.admittedOf(grpc.metadata));
        const opening = name === 'SubscribeToTask' ? operations.openSubscription(call) : operations.openSend(call);
        const stream = await opening;
        // The caller hears now that the stream is open, also when the first event takes its time.
        grpc.sendMetadata(new Metadata());
        if (await place.write(grpc, call, stream)) grpc.end();
        else grpc.emit('error', grpcStatus(CUT));
      } catch (error) {
        grpc.emit('error', refused(error, grpc));
      } finally {
        place?.release();
      }
    };

  return Object.fromEntries(
    (Object.keys(dialect.methods) as OperationName[]).map((name) => [
      name,
      isStreaming(name) ? streaming(name) : unary(name as UnaryName),
    ]),
  );
}

/** Checks what the call says. Throws AppErrors. */
function enter(
  { core, door }: GrpcServiceDeps,
  dialect: ServiceDialect,
  name: OperationName,
  grpc: UnaryCall | StreamCall,
): GrpcCall {
  const { version, service, legacy } = dialect;
  const headers = metadataHeaders(grpc.metadata);
  if (negotiateVersion(headers['a2a-version'], undefined) !== version) {
    throw new AppError(
      'version-not-supported',
      `${service} speaks A2A ${version}; send a2a-version: ${version} in the metadata.`,
    );
  }
  const asked = { caller: door.admittedOf(grpc.metadata).caller, version, headers } as const;
  const active = extensionsFor(core, asked);
  if (active.length > 0) {
    const metadata = new Metadata();
    metadata.set(dialect.extensionsHeader, active.join(', '));
    grpc.sendMetadata(metadata);
  }
  const { target, operation } = checkedCall(core, asked, dialect.read(name, grpc.request));
  // The interface of an agent's own card names it by tenant, as its HTTP interfaces do by path.
  const address = { ...target, byPath: target.tenant !== undefined };
  const call = new GrpcCall(grpc, headers, asked.caller, address, operation);
  call.legacy = legacy;
  return call;
}
