// A version's gRPC service as functions from and to ProtoJSON: the SDK's for 1.0, the one that the server here speaks too
// for 0.3. Loaded when the first agent is spoken to over it: most processes never do.
import type * as Grpc from '@grpc/grpc-js';
import { namedReason } from './fault-codes.js';
import type { ProtocolVersion } from './peer-card.js';
import { writeLegacyMessage, writeParams, type Json, type Operation, type OperationName } from './write-request.js';

export interface GrpcMethod {
  path: string;
  /** ProtoJSON to bytes. */
  write(params: Json): Buffer;
  /** Bytes to ProtoJSON. Throws for what is no such message. */
  read(bytes: Buffer): unknown;
}

export interface GrpcCodecs {
  grpc: typeof Grpc;
  /** Those that the version has. */
  methods: Readonly<Partial<Record<OperationName, GrpcMethod>>>;
  params(operation: Operation): Json;
  /** See `Answer`. */
  doubleData: boolean;
  /** The reasons that an error gives. */
  detailsOf(error: Grpc.ServiceError): Reason[];
}

interface Reason {
  reason: string;
}

interface SdkCodec<T> {
  fromJSON(value: never): T;
  toJSON(value: T): unknown;
}

interface Definition<Request, Response> {
  path: string;
  requestSerialize(value: Request): Buffer;
  responseDeserialize(bytes: Buffer): Response;
}

const loading: Partial<Record<ProtocolVersion, Promise<GrpcCodecs>>> = {};

export const grpcCodecs = (protocol: ProtocolVersion): Promise<GrpcCodecs> =>
  (loading[protocol] ??= protocol === '1.0' ? loadCurrent() : loadLegacy());

async function loadCurrent(): Promise<GrpcCodecs> {
  const [grpc, sdk, { A2AService: service }, detailsOf] = await Promise.all([
    import('@grpc/grpc-js'),
    import('@a2a-js/sdk'),
    import('@a2a-js/sdk/server/grpc'),
    loadDetails(),
  ]);
  const empty: SdkCodec<unknown> = { fromJSON: () => ({}), toJSON: () => ({}) };
  return {
    grpc,
    params: writeParams,
    doubleData: false,
    detailsOf,
    methods: {
      SendMessage: method(service.sendMessage, sdk.SendMessageRequest, sdk.SendMessageResponse),
      GetTask: method(service.getTask, sdk.GetTaskRequest, sdk.Task),
      ListTasks: method(service.listTasks, sdk.ListTasksRequest, sdk.ListTasksResponse),
      CancelTask: method(service.cancelTask, sdk.CancelTaskRequest, sdk.Task),
      SubscribeToTask: method(service.subscribeToTask, sdk.SubscribeToTaskRequest, sdk.StreamResponse),
      CreateTaskPushNotificationConfig: method(
        service.createTaskPushNotificationConfig,
        sdk.TaskPushNotificationConfig,
        sdk.TaskPushNotificationConfig,
      ),
      DeleteTaskPushNotificationConfig: method(
        service.deleteTaskPushNotificationConfig,
        sdk.DeleteTaskPushNotificationConfigRequest,
        empty,
      ),
      GetExtendedAgentCard: method(service.getExtendedAgentCard, sdk.GetExtendedAgentCardRequest, sdk.AgentCard),
    },
  };
}

async function loadLegacy(): Promise<GrpcCodecs> {
  const [grpc, { LEGACY_METHODS }, detailsOf] = await Promise.all([
    import('@grpc/grpc-js'),
    import('../a2a-v0-3/legacy-service.js'),
    loadDetails(),
  ]);
  const methods = Object.entries(LEGACY_METHODS).map(([name, { path, request, response }]): [string, GrpcMethod] => [
    name,
    { path, write: request.write, read: response.read },
  ]);
  return {
    grpc,
    params: writeLegacyMessage,
    doubleData: true,
    methods: Object.fromEntries(methods),
    detailsOf(error) {
      const given = detailsOf(error);
      const reason = namedReason(error.details);
      return given.length > 0 || reason === undefined ? given : [{ reason }];
    },
  };
}

/** Of the ErrorInfo details that an error's trailer holds. */
async function loadDetails(): Promise<GrpcCodecs['detailsOf']> {
  const errors = await import('@a2a-js/sdk/errors/grpc');
  return ({ metadata }) => {
    const [bytes] = metadata.get(errors.GRPC_STATUS_DETAILS_BIN);
    if (!Buffer.isBuffer(bytes)) return [];
    try {
      const infos = errors.decodeStatus(bytes).details.filter(({ typeUrl }) => typeUrl.endsWith('.ErrorInfo'));
      return infos.map(({ value }) => ({ reason: errors.decodeErrorInfo(value).reason }));
    } catch {
      // Not what it is said to be; the status alone has to do.
      return [];
    }
  };
}

/** The definitions' generics are too narrow to be told apart here; each request goes with its own codec above. */
const method = <Request, Response>(
  { path, requestSerialize, responseDeserialize }: Definition<Request, Response>,
  request: SdkCodec<Request>,
  response: SdkCodec<Response>,
): GrpcMethod => ({
  path,
  write: (params) => requestSerialize(request.fromJSON(params as never)),
  read: (bytes) => response.toJSON(responseDeserialize(bytes)),
});
