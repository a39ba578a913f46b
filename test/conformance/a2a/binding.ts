// The bindings behind one face, so that one scenario runs over each: an operation with parameters goes in, what
// came of it comes out, in a form that no longer tells how it travelled.
import { GrpcBinding } from './grpc-binding.js';
import { frames, type Answer, type BridgeServer } from '../../surfaces/a2a-bridge/bridge-server.js';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- results of every shape are looked into
export type Any = any;

export interface Outcome {
  answer: Answer;
  result?: Any;
  error?: { code: number; reason: string; message: string; details: Any[] };
}

export interface CallOptions {
  key?: string;
  headers?: Record<string, string>;
  /** Path of the interface; the common one when absent. */
  at?: string;
}

export interface LiveStream extends AsyncIterable<Any> {
  /** The next event; undefined at the end. */
  next(): Promise<Any>;
  /** All that is still to come. */
  rest(): Promise<Any[]>;
  close(): Promise<void>;
}

export interface Binding {
  readonly name: 'JSON-RPC' | 'HTTP+JSON' | 'gRPC';
  /** False: requests are no JSON, so that what only JSON can get wrong can't be sent. */
  readonly isHttp: boolean;
  /** The content type of what is no stream. */
  readonly errorType: RegExp;
  /** What differs by the rules. */
  tells<T>(by: { rpc: T; rest: T; grpc: T }): T;
  call(operation: string, params?: Any, options?: CallOptions): Promise<Outcome>;
  /** Opens a stream and reads as the test asks. Throws when the answer is none. */
  open(operation: string, params: Any, options?: CallOptions): Promise<LiveStream>;
  /** A whole stream. */
  events(operation: string, params: Any, options?: CallOptions): Promise<Any[]>;
}

export const bindings = (server: BridgeServer): Binding[] => [
  new HttpBinding(server, 'JSON-RPC', rpcRequest, rpcOutcome, ({ result }) => result),
  new HttpBinding(server, 'HTTP+JSON', restRequest, restOutcome, (event) => event),
  ...(server.speaksGrpc ? [new GrpcBinding(server)] : []),
];

interface Written {
  method: string;
  path: string;
  body?: unknown;
}

class HttpBinding implements Binding {
  readonly isHttp = true;
  readonly errorType = /json/;

  constructor(
    private readonly server: BridgeServer,
    readonly name: 'JSON-RPC' | 'HTTP+JSON',
    private readonly write: (operation: string, params: Any) => Written,
    private readonly read: (answer: Answer) => Omit<Outcome, 'answer'>,
    private readonly unwrap: (event: Any) => Any,
  ) {}

  tells<T>(by: { rpc: T; rest: T }): T {
    return this.name === 'JSON-RPC' ? by.rpc : by.rest;
  }

  async call(operation: string, params: Any = {}, options: CallOptions = {}): Promise<Outcome> {
    const { at = '/a2a', ...rest } = options;
    const { method, path, body } = this.write(operation, params);
    const answer = await this.server.send(method, at + path, { ...rest, body });
    return { answer, ...this.read(answer) };
  }

  async open(operation: string, params: Any, options: CallOptions = {}): Promise<LiveStream> {
    const { at = '/a2a', ...rest } = options;
    const { method, path, body } = this.write(operation, params);
    const response = await this.server.fetch(method, at + path, { ...rest, body });
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) throw new Error(await response.text());
    const reader = readEvents(response);
    const next = async (): Promise<Any> => {
      const { value, done } = await reader.next();
      return done ? undefined : this.unwrap(value);
    };
    const drain = async (): Promise<Any[]> => {
      const events: Any[] = [];
      for (let event = await next(); event !== undefined; event = await next()) events.push(event);
      return events;
    };
    return {
      next,
      rest: drain,
      close: async () => void (await reader.return(undefined)),
      async *[Symbol.asyncIterator]() {
        for (let event = await next(); event !== undefined; event = await next()) yield event;
      },
    };
  }

  async events(operation: string, params: Any, options: CallOptions = {}): Promise<Any[]> {
    return (await this.open(operation, params, options)).rest();
  }
}

async function* readEvents(response: Response): AsyncGenerator<Any> {
  const decoder = new TextDecoder();
  let pending = '';
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    pending += decoder.decode(chunk, { stream: true });
    const end = pending.lastIndexOf('\n\n') + 2;
    if (end < 2) continue;
    for (const { event } of frames(pending.slice(0, end))) yield event;
    pending = pending.slice(end);
  }
}

const rpcRequest = (method: string, params: Any): Written => ({
  method: 'POST',
  path: '',
  body: { jsonrpc: '2.0', id: 7, method, params },
});

function rpcOutcome({ json }: Answer): Omit<Outcome, 'answer'> {
  if (!json?.error) return { result: json?.result };
  const { code, message, data } = json.error;
  return { error: { code, message, reason: data[0].reason, details: data } };
}

function restRequest(operation: string, { id, taskId, ...rest }: Any): Written {
  const task = `/tasks/${encodeURIComponent(id)}`;
  const webhooks = `/tasks/${encodeURIComponent(taskId)}/pushNotificationConfigs`;
  switch (operation) {
    case 'SendMessage':
      return { method: 'POST', path: '/message:send', body: rest };
    case 'SendStreamingMessage':
      return { method: 'POST', path: '/message:stream', body: rest };
    case 'GetTask':
      return { method: 'GET', path: task + query(rest) };
    case 'ListTasks':
      return { method: 'GET', path: `/tasks${query(rest)}` };
    case 'CancelTask':
      return { method: 'POST', path: `${task}:cancel`, body: rest };
    case 'SubscribeToTask':
      return { method: 'POST', path: `${task}:subscribe`, body: rest };
    case 'CreateTaskPushNotificationConfig':
      return { method: 'POST', path: webhooks, body: { ...rest, id } };
    case 'GetTaskPushNotificationConfig':
      return { method: 'GET', path: `${webhooks}/${encodeURIComponent(id)}${query(onlyTenant(rest))}` };
    case 'ListTaskPushNotificationConfigs':
      return { method: 'GET', path: webhooks + query(onlyTenant(rest)) };
    case 'DeleteTaskPushNotificationConfig':
      return { method: 'DELETE', path: `${webhooks}/${encodeURIComponent(id)}${query(onlyTenant(rest))}` };
    case 'GetExtendedAgentCard':
      return { method: 'GET', path: `/extendedAgentCard${query(rest)}` };
    default:
      throw new Error(`no path for ${operation}`);
  }
}

function restOutcome({ json, status }: Answer): Omit<Outcome, 'answer'> {
  if (status < 400) return { result: json };
  const { code, message, details } = json.error;
  return { error: { code, message, reason: details[0].reason, details } };
}

const onlyTenant = ({ tenant }: Any): Any => (tenant === undefined ? {} : { tenant });
const query = (params: Record<string, unknown>): string => {
  const entries = Object.entries(params).map(([name, value]): [string, string] => [name, String(value)]);
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries)}`;
};

const STAMP = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\bm-\d+\b|(?<=contextId":")[^"]+/g;

/** A result without what differs from run to run: ids by the order in which they appear, no times. */
export function normalised(result: unknown): unknown {
  const ids = new Map<string, string>();
  const text = JSON.stringify(result ?? null)
    .replace(STAMP, '<time>')
    .replace(/inbox\/[\w.-]+/g, 'inbox/<file>')
    .replace(ID, (id) => ids.get(id) ?? (ids.set(id, `<id ${ids.size + 1}>`), ids.get(id) as string));
  return JSON.parse(text);
}
