// The SDK's gRPC service as functions from and to ProtoJSON. Loaded when the first agent is spoken to over gRPC: most
// processes never do.
import type * as Grpc from '@grpc/grpc-js';
import type { OperationName } from './write-request.js';

export interface GrpcMethod {
  path: string;
  /** ProtoJSON to bytes. */
  write(params: unknown): Buffer;
  /** Bytes to ProtoJSON. */
  read(bytes: Buffer): unknown;
}

export interface GrpcCodecs {
  grpc: typeof Grpc;
  methods: Readonly<Record<OperationName, GrpcMethod>>;
  /** The ErrorInfo details that an error's trailer holds. */
  detailsOf(metadata: Grpc.Metadata): { reason: string }[];
}

interface Json<T> {
  fromJSON(value: never): T;
  toJSON(value: T): unknown;
}

interface Definition<Request, Response> {
  path: string;
  requestSerialize(value: Request): Buffer;
  responseDeserialize(bytes: Buffer): Response;
}

let loading: Promise<GrpcCodecs> | undefined;

export const grpcCodecs = (): Promise<GrpcCodecs> => (loading ??= load());

async function load(): Promise<GrpcCodecs> {
  const [grpc, sdk, { A2AService: service }, errors] = await Promise.all([
    import('@grpc/grpc-js'),
    import('@a2a-js/sdk'),
    import('@a2a-js/sdk/server/grpc'),
    import('@a2a-js/sdk/errors/grpc'),
  ]);
  const empty: Json<unknown> = { fromJSON: () => ({}), toJSON: () => ({}) };
  return {
    grpc,
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
    detailsOf(metadata) {
      const [bytes] = metadata.get(errors.GRPC_STATUS_DETAILS_BIN);
      if (!Buffer.isBuffer(bytes)) return [];
      try {
        const infos = errors.decodeStatus(bytes).details.filter(({ typeUrl }) => typeUrl.endsWith('.ErrorInfo'));
        return infos.map(({ value }) => ({ reason: errors.decodeErrorInfo(value).reason }));
      } catch {
        // Not what it is said to be; the status alone has to do.
        return [];
      }
    },
  };
}

/** The definitions' generics are too narrow to be told apart here; each request goes with its own codec above. */
const method = <Request, Response>(
  { path, requestSerialize, responseDeserialize }: Definition<Request, Response>,
  request: Json<Request>,
  response: Json<Response>,
): GrpcMethod => ({
  path,
  write: (params) => requestSerialize(request.fromJSON(params as never)),
  read: (bytes) => response.toJSON(responseDeserialize(bytes)),
});
