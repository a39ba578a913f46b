// The bindings of 0.3 behind one face.
import { decodeErrorInfo, decodeStatus } from '@a2a-js/sdk/errors/grpc';
import { Client, credentials, Metadata, status, type ServiceError } from '@grpc/grpc-js';
import { LEGACY_METHODS, LEGACY_SERVICE, type LegacyMethod } from '../../../src/a2a-v0-3/legacy-service.js';
import { frames, KEYS, type Answer, type BridgeServer } from '../../surfaces/a2a-bridge/bridge-server.js';
import type { Any } from './binding.js';
import { grpcAddress } from './grpc-binding.js';

/** 0.3 clients say no version. */
export const OLD = { 'A2A-Version': '' };

export interface Legacy {
  readonly name: 'JSON-RPC' | 'HTTP+JSON' | 'gRPC';
  readonly isRpc: boolean;
  send(parts: Any[], more?: object, configuration?: object): Promise<Answer>;
  /** A whole stream of one text; each event has its kind, also where the binding says it otherwise. */
  stream(text: string, more?: object): Promise<Any[]>;
  get(id: string, historyLength?: number, headers?: Record<string, string>): Promise<Answer>;
  /** What a client of 1.0 would ask for. */
  list(): Promise<Answer>;
  cancel(id: string): Promise<Answer>;
  resubscribe(id: string): Promise<Any[]>;
  card(): Promise<Answer>;
  /** The task of an answer to a send. */
  task(answer: Answer): Any;
  text(text: string): Any;
  code(answer: Answer): number | undefined;
  state(state: string): string;
}

let messages = 0;
export const legacyMessageId = (): string => `l-${++messages}`;
const eventsOf = ({ text }: Answer): Any[] => frames(text).map(({ event }) => event as Any);

export function overRpc(server: BridgeServer): Legacy {
  const call = (method: string, params?: object, headers = {}): Promise<Answer> =>
    server.rpc(method, params, { headers: { ...OLD, ...headers } });
  const message = (parts: Any[], more: object): object => ({
    kind: 'message',
    messageId: legacyMessageId(),
    role: 'user',
    parts,
    ...more,
  });
  const results = (answer: Answer): Any[] => eventsOf(answer).map(({ result }) => result);
  return {
    name: 'JSON-RPC',
    isRpc: true,
    text: (text) => ({ kind: 'text', text }),
    send: (parts, more = {}, configuration) => call('message/send', { message: message(parts, more), configuration }),
    stream: async (text, more = {}) =>
      results(await call('message/stream', { message: message([{ kind: 'text', text }], more) })),
    get: (id, historyLength, headers) => call('tasks/get', { id, historyLength }, headers),
    list: () => call('tasks/list', {}),
    cancel: (id) => call('tasks/cancel', { id }),
    resubscribe: async (id) => results(await call('tasks/resubscribe', { id })),
    card: () => call('agent/getAuthenticatedExtendedCard'),
    task: ({ json }) => json.result,
    code: ({ json }) => json.error?.code,
    state: (state) => state,
  };
}

const STATES: Readonly<Record<string, string>> = {
  canceled: 'CANCELLED',
  'input-required': 'INPUT_REQUIRED',
  completed: 'COMPLETED',
  failed: 'FAILED',
  'auth-required': 'AUTH_REQUIRED',
};
const KINDS: Readonly<Record<string, string>> = {
  task: 'task',
  statusUpdate: 'status-update',
  artifactUpdate: 'artifact-update',
};

function withKind(event: Any): Any {
  const [[member, value]] = Object.entries<Any>(event) as [[string, Any]];
  // ProtoJSON of a message leaves out what is false.
  return { kind: KINDS[member], ...(member === 'statusUpdate' && { final: false }), ...value };
}

/** As the schema has it. */
const message = (content: Any[], more: object): Any => ({
  messageId: legacyMessageId(),
  role: 'ROLE_USER',
  content,
  ...more,
});

export function overRest(server: BridgeServer): Legacy {
  const call = (method: string, path: string, body?: object, headers = {}): Promise<Answer> =>
    server.send(method, `/a2a/v1${path}`, { headers: { ...OLD, ...headers }, ...(body && { body }) });
  const results = (answer: Answer): Any[] => eventsOf(answer).map(withKind);
  return {
    name: 'HTTP+JSON',
    isRpc: false,
    text: (text) => ({ text }),
    send: (content, more = {}, configuration) =>
      call('POST', '/message:send', { message: message(content, more), configuration }),
    stream: async (text, more = {}) =>
      results(await call('POST', '/message:stream', { message: message([{ text }], more) })),
    get: (id, historyLength, headers) =>
      call(
        'GET',
        `/tasks/${id}${historyLength === undefined ? '' : `?historyLength=${historyLength}`}`,
        undefined,
        headers,
      ),
    list: () => call('GET', '/tasks'),
    cancel: (id) => call('POST', `/tasks/${id}:cancel`),
    resubscribe: async (id) => results(await call('GET', `/tasks/${id}:subscribe`)),
    card: () => call('GET', '/card'),
    task: ({ json }) => json.task,
    code: ({ json }) => json.code,
    state: (state) => `TASK_STATE_${STATES[state]}`,
  };
}

export function overGrpc(server: BridgeServer): Legacy {
  let client: Client | undefined;
  /** A call of either kind; a stream's answer is the list of its events. */
  const call = async (name: string, request: Any = {}, headers: Record<string, string> = {}): Promise<Answer> => {
    client ??= new Client(await grpcAddress(server), credentials.createInsecure());
    const methods: Record<string, LegacyMethod> = LEGACY_METHODS;
    const { path, ...codecs } = methods[name] ?? { ...LEGACY_METHODS.GetTask, path: `/${LEGACY_SERVICE}/${name}` };
    const metadata = new Metadata();
    for (const [key, value] of Object.entries({ 'x-api-key': KEYS.bob, ...headers })) metadata.set(key, value);
    const { write } = codecs.request;
    const stream = client.makeServerStreamRequest(
      path,
      write,
      (bytes) => codecs.response.read(bytes),
      request,
      metadata,
    );
    const sent = new Metadata();
    stream.on('metadata', (initial) => sent.merge(initial));
    const events: Any[] = [];
    try {
      for await (const event of stream) events.push(event);
      return answered(200, sent, /Stream|Subscribe/.test(name) ? events : events[0]);
    } catch (error) {
      const { code, details, metadata: trailers } = error as ServiceError;
      const [blob] = trailers.get('grpc-status-details-bin');
      const [info] = blob ? decodeStatus(blob as Buffer).details : [];
      sent.merge(trailers);
      return answered(400, sent, { code, details, reason: info && decodeErrorInfo(info.value).reason });
    }
  };
  return {
    name: 'gRPC',
    isRpc: false,
    text: (text) => ({ text }),
    // On this wire a configuration always says whether to wait.
    send: (content, more = {}, configuration) =>
      call('SendMessage', {
        message: message(content, more),
        ...(configuration && { configuration: { blocking: true, ...configuration } }),
      }),
    stream: async (text, more = {}) =>
      (await call('SendStreamingMessage', { message: message([{ text }], more) })).json.map(withKind),
    get: (id, historyLength, headers) => call('GetTask', { name: `tasks/${id}`, historyLength }, headers),
    list: () => call('ListTasks'),
    cancel: (id) => call('CancelTask', { name: `tasks/${id}` }),
    resubscribe: async (id) => (await call('SubscribeToTask', { name: `tasks/${id}` })).json.map(withKind),
    card: () => call('GetExtendedAgentCard'),
    task: ({ json }) => json.task,
    code: ({ json }) =>
      json.reason === undefined && json.code === status.UNIMPLEMENTED ? -32601 : REASONS[json.reason],
    state: (state) => `TASK_STATE_${STATES[state]}`,
  };
}

/** The numbers that 0.3 had for what the details name; the wire has none. */
const REASONS: Readonly<Record<string, number>> = {
  TASK_NOT_FOUND: -32001,
  TASK_NOT_CANCELABLE: -32002,
  UNSUPPORTED_OPERATION: -32004,
  EXTENSION_SUPPORT_REQUIRED: -32004,
  CONTENT_TYPE_NOT_SUPPORTED: -32005,
  INVALID_PARAMS: -32602,
};

function answered(httpStatus: number, metadata: Metadata, json: unknown): Answer {
  const headers = new Headers();
  for (const [name, value] of Object.entries(metadata.getMap())) {
    if (!name.endsWith('-bin') && name !== 'date') headers.set(name, value as string);
  }
  return { status: httpStatus, headers, text: JSON.stringify(json), json };
}
