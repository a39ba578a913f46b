// gRPC behind the same face as the HTTP bindings: what goes in and comes out is ProtoJSON, made and read by the SDK's
// generated code, so that results can be compared.
import {
  AgentCard,
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetExtendedAgentCardRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  ListTasksRequest,
  ListTasksResponse,
  SendMessageRequest,
  SendMessageResponse,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk';
import { decodeErrorInfo, decodeStatus } from '@a2a-js/sdk/errors/grpc';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { Client, credentials, Metadata, status, type ClientReadableStream, type ServiceError } from '@grpc/grpc-js';
import { KEYS, type Answer, type BridgeServer } from '../../surfaces/a2a-bridge/bridge-server.js';
import type { Any, Binding, CallOptions, LiveStream, Outcome } from './binding.js';

interface Codec {
  fromJSON(json: unknown): unknown;
  toJSON(message: never): unknown;
}
const NOTHING: Codec = { fromJSON: () => ({}), toJSON: () => ({}) };

const CODECS: Record<string, [request: Codec, response: Codec]> = {
  SendMessage: [SendMessageRequest, SendMessageResponse],
  SendStreamingMessage: [SendMessageRequest, StreamResponse],
  GetTask: [GetTaskRequest, Task],
  ListTasks: [ListTasksRequest, ListTasksResponse],
  CancelTask: [CancelTaskRequest, Task],
  SubscribeToTask: [SubscribeToTaskRequest, StreamResponse],
  CreateTaskPushNotificationConfig: [TaskPushNotificationConfig, TaskPushNotificationConfig],
  GetTaskPushNotificationConfig: [GetTaskPushNotificationConfigRequest, TaskPushNotificationConfig],
  ListTaskPushNotificationConfigs: [ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse],
  DeleteTaskPushNotificationConfig: [DeleteTaskPushNotificationConfigRequest, NOTHING],
  GetExtendedAgentCard: [GetExtendedAgentCardRequest, AgentCard],
};

/** What the other bindings show even when there is none; the wire of gRPC can't tell the difference. */
const LISTS: Record<string, object> = {
  ListTasks: { tasks: [], nextPageToken: '', totalSize: 0 },
  ListTaskPushNotificationConfigs: { configs: [] },
};

/** Where a server speaks gRPC, as its card says. */
export async function grpcAddress(server: BridgeServer): Promise<string> {
  const { supportedInterfaces } = (await server.send('GET', '/.well-known/agent-card.json', { key: '' })).json as Any;
  return supportedInterfaces.find(({ protocolBinding }: Any) => protocolBinding === 'GRPC').url as string;
}

export class GrpcBinding implements Binding {
  readonly name = 'gRPC';
  readonly isHttp = false;
  readonly errorType = /^application\/grpc/;
  private readonly clients = new Map<string, Client>();

  constructor(private readonly server: BridgeServer) {}

  tells<T>(by: { grpc: T }): T {
    return by.grpc;
  }

  async call(operation: string, params: Any = {}, options: CallOptions = {}): Promise<Outcome> {
    // A refusal of a stream is the end of one without events.
    if (operation === 'SendStreamingMessage' || operation === 'SubscribeToTask')
      return this.refusal(operation, params, options);
    const { path, request, metadata, client, codec, definition } = await this.prepare(operation, params, options);
    const sent = new Metadata();
    return new Promise((resolve) => {
      const call = client.makeUnaryRequest(
        path,
        definition.requestSerialize as never,
        definition.responseDeserialize as never,
        request,
        metadata,
        (error: ServiceError | null, value?: unknown) => {
          resolve(
            error
              ? refused(error)
              : answered({ ...LISTS[operation], ...(codec.toJSON(value as never) as object) }, sent),
          );
        },
      );
      call.on('metadata', (initial) => sent.merge(initial));
    });
  }

  async open(operation: string, params: Any, options: CallOptions = {}): Promise<LiveStream> {
    const { stream, codec } = await this.start(operation, params, options);
    const events = (stream as AsyncIterable<unknown>)[Symbol.asyncIterator]();
    await new Promise((resolve, reject) => stream.once('metadata', resolve).once('error', reject));
    const next = async (): Promise<Any> => {
      const { value, done } = await events.next();
      return done ? undefined : codec.toJSON(value as never);
    };
    const rest = async (): Promise<Any[]> => {
      const all: Any[] = [];
      for (let event = await next(); event !== undefined; event = await next()) all.push(event);
      return all;
    };
    return {
      next,
      rest,
      close: () => {
        stream.on('error', () => undefined);
        stream.cancel();
        return Promise.resolve();
      },
      async *[Symbol.asyncIterator]() {
        for (let event = await next(); event !== undefined; event = await next()) yield event;
      },
    };
  }

  async events(operation: string, params: Any, options: CallOptions = {}): Promise<Any[]> {
    return (await this.open(operation, params, options)).rest();
  }

  private async refusal(operation: string, params: Any, options: CallOptions): Promise<Outcome> {
    const { stream, codec } = await this.start(operation, params, options);
    const events: Any[] = [];
    return new Promise((resolve) => {
      stream.on('data', (event: unknown) => events.push(codec.toJSON(event as never)));
      stream.on('end', () => resolve(answered(events, new Metadata())));
      stream.on('error', (error: ServiceError) => resolve(refused(error)));
    });
  }

  private async start(
    operation: string,
    params: Any,
    options: CallOptions,
  ): Promise<{ stream: ClientReadableStream<unknown>; codec: Codec }> {
    const { path, request, metadata, client, codec, definition } = await this.prepare(operation, params, options);
    const stream = client.makeServerStreamRequest(
      path,
      definition.requestSerialize as never,
      definition.responseDeserialize as never,
      request,
      metadata,
    );
    return { stream, codec };
  }

  private async prepare(operation: string, params: Any, { key = KEYS.bob, headers, at }: CallOptions) {
    const [request, codec] = CODECS[operation] as [Codec, Codec];
    const method = (operation.charAt(0).toLowerCase() + operation.slice(1)) as keyof typeof A2AService;
    const definition = A2AService[method];
    const metadata = new Metadata();
    for (const [name, value] of Object.entries({ 'a2a-version': '1.0', 'x-api-key': key, ...lowerCase(headers) })) {
      if (value !== '') metadata.set(name, value);
    }
    // There is no path: the tenant names the agent.
    const tenant = /^\/agents\/([^/]+)\/a2a$/.exec(at ?? '')?.[1];
    return {
      path: definition.path,
      definition,
      codec,
      metadata,
      request: withNulls(request.fromJSON({ ...(tenant && { tenant }), ...params }), params),
      client: this.client(await grpcAddress(this.server)),
    };
  }

  private client(address: string): Client {
    let client = this.clients.get(address);
    if (!client) this.clients.set(address, (client = new Client(address, credentials.createInsecure())));
    return client;
  }
}

/** The SDK reads `data: null` as no data; on the wire there is a difference. */
function withNulls(request: Any, params: Any): unknown {
  for (const [i, part] of (params.message?.parts ?? []).entries()) {
    if (part.data === null) request.message.parts[i].content = { $case: 'data', value: null };
  }
  return request;
}

const lowerCase = (headers: Record<string, string> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

function answered(result: Any, metadata: Metadata): Outcome {
  return { answer: asAnswer(200, metadata, result), result };
}

/** The HTTP status that stands for the code (google.rpc.Code). */
const HTTP: Partial<Record<status, number>> = {
  [status.INVALID_ARGUMENT]: 400,
  [status.FAILED_PRECONDITION]: 400,
  [status.UNAUTHENTICATED]: 401,
  [status.PERMISSION_DENIED]: 403,
  [status.NOT_FOUND]: 404,
  [status.RESOURCE_EXHAUSTED]: 429,
  [status.INTERNAL]: 500,
  [status.UNAVAILABLE]: 503,
};

function refused(error: ServiceError): Outcome {
  const { code, details: message, metadata } = error;
  const [blob] = metadata.get('grpc-status-details-bin');
  const details = blob ? decodeStatus(blob as Buffer).details.map(detail) : [];
  const body = { code, message, details };
  return {
    answer: asAnswer(HTTP[code] ?? 500, metadata, body),
    error: { ...body, reason: (details[0] as Any)?.reason ?? '' },
  };
}

function asAnswer(httpStatus: number, metadata: Metadata, body: unknown): Answer {
  const headers = new Headers();
  for (const [name, value] of Object.entries(metadata.getMap())) {
    if (!name.endsWith('-bin') && name !== 'date') headers.set(name, value as string);
  }
  return { status: httpStatus, headers, text: JSON.stringify(body), json: body };
}

/** One detail as the other bindings write it. */
function detail({ typeUrl, value }: { typeUrl: string; value: Buffer }): Any {
  switch (typeUrl.split('.').pop()) {
    case 'ErrorInfo': {
      const { metadata, ...info } = decodeErrorInfo(value);
      return { '@type': typeUrl, ...info, ...(Object.keys(metadata).length > 0 && { metadata }) };
    }
    case 'BadRequest': {
      const fieldViolations = fields(value).map(([, violation]) => {
        const text = new Map(
          fields(violation as Uint8Array).map(([no, bytes]) => [no, String(Buffer.from(bytes as Uint8Array))]),
        );
        return { field: text.get(1) ?? '', description: text.get(2) ?? '' };
      });
      return { '@type': typeUrl, fieldViolations };
    }
    default: {
      const [[, duration] = []] = fields(value);
      const [[, seconds] = []] = fields(duration as Uint8Array);
      return { '@type': typeUrl, retryDelay: `${String(seconds)}s` };
    }
  }
}

/** The fields of a message: numbers, and everything that has a length as bytes. */
function fields(bytes: Uint8Array): [no: number, value: Uint8Array | string | number][] {
  const reader = new BinaryReader(bytes);
  const found: [number, Uint8Array | string | number][] = [];
  while (reader.pos < reader.len) {
    const [no, type] = reader.tag();
    found.push([no, Number(type) === 2 ? reader.bytes() : String(reader.int64())]);
  }
  return found;
}
