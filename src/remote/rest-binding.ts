// HTTP+JSON of 1.0 and 0.3 as a client speaks it.
import { isObject } from '../read-json.js';
import type { Binding, BindingOptions } from './binding.js';
import type { ProtocolVersion } from './peer-card.js';
import type { PeerFaults } from './peer-faults.js';
import type { HttpAnswer, HttpRequest, PeerHttp } from './peer-http.js';
import type { Answer } from './read-answer.js';
import { RemoteError } from './remote-error.js';
import { writeLegacyBody, writeParams, type Json, type Operation } from './write-request.js';

interface RestOptions {
  http: PeerHttp;
  faults: PeerFaults;
  /** The interface's address: paths go below it. */
  url: string;
  protocol: ProtocolVersion;
  tenant?: string;
}

type Method = HttpRequest['method'];

/** Where an operation lives, and what of it travels as body or as query. */
interface Place {
  method: Method;
  path: string;
  body?: Json;
  query?: Json;
}

export class RestBinding implements Binding {
  private readonly legacy: boolean;

  constructor(private readonly options: RestOptions) {
    this.legacy = options.protocol === '0.3';
  }

  async call(operation: Operation, options: BindingOptions): Promise<Answer> {
    const answer = await this.options.http.ask(this.request(this.place(operation), options));
    if (answer.status < 200 || answer.status >= 300) throw this.failure(answer);
    // Deleting answers with nothing, and that is fine.
    const empty = answer.bytes.length === 0 || operation.name === 'DeleteTaskPushNotificationConfig';
    return { ...(empty ? NOTHING : this.options.http.json(answer)), doubleData: this.legacy };
  }

  /** The specification's text says POST, its schema GET (0.3: the other way round): one of them is there. */
  async *subscribe(taskId: string, options: BindingOptions): AsyncGenerator<Answer> {
    const [first, second] = this.legacy ? (['GET', 'POST'] as const) : (['POST', 'GET'] as const);
    try {
      yield* this.stream(first, taskId, options);
    } catch (error) {
      if (!(error instanceof RemoteError && isNoSuchRoute(error))) throw error;
      yield* this.stream(second, taskId, options);
    }
  }

  private async *stream(method: Method, taskId: string, options: BindingOptions): AsyncGenerator<Answer> {
    const { http } = this.options;
    const place = { method, path: `/tasks/${encodeURIComponent(taskId)}:subscribe` };
    // An answer that is no stream is an error, or the snapshot that some servers leave it at.
    const whole = (answer: HttpAnswer): string => {
      if (answer.status < 200 || answer.status >= 300) throw this.failure(answer);
      http.json(answer);
      return answer.bytes.toString();
    };
    for await (const { type, data } of http.events(this.request(place, options), whole)) {
      if (data.trim() === '') continue;
      const answer = http.parse(Buffer.from(data));
      if (isObject(answer.value) && (type === 'error' || isObject(answer.value['error']))) {
        throw this.errorOf(answer.value);
      }
      yield { ...answer, doubleData: this.legacy };
    }
  }

  private place(operation: Operation): Place {
    const { name, params } = operation;
    const body = this.legacy ? writeLegacyBody(operation) : writeParams(operation);
    switch (name) {
      case 'SendMessage':
        return { method: 'POST', path: '/message:send', body };
      case 'GetTask': {
        const { id, ...query } = params;
        return { method: 'GET', path: `/tasks/${encodeURIComponent(id)}`, query };
      }
      case 'ListTasks':
        if (this.legacy) throw this.options.faults.unsupported('ListTasks in A2A 0.3');
        return { method: 'GET', path: '/tasks', query: { ...params } };
      case 'CancelTask':
        return { method: 'POST', path: `/tasks/${encodeURIComponent(params.id)}:cancel`, body: {} };
      case 'SubscribeToTask':
        return { method: 'POST', path: `/tasks/${encodeURIComponent(params.id)}:subscribe` };
      case 'CreateTaskPushNotificationConfig':
        return { method: 'POST', path: `/tasks/${encodeURIComponent(params.taskId)}/pushNotificationConfigs`, body };
      case 'DeleteTaskPushNotificationConfig': {
        const { taskId, id } = params;
        const path = `/tasks/${encodeURIComponent(taskId)}/pushNotificationConfigs/${encodeURIComponent(id)}`;
        return { method: 'DELETE', path };
      }
      case 'GetExtendedAgentCard':
        return { method: 'GET', path: this.legacy ? '/card' : '/extendedAgentCard' };
      default:
        return operation satisfies never;
    }
  }

  private request({ method, path, body, query = {} }: Place, { headers, ...options }: BindingOptions): HttpRequest {
    const url = new URL(this.options.url);
    const base = url.pathname.replace(/\/+$/, '');
    const { tenant } = this.options;
    // The paths of 0.3 begin with its version, which some cards have in the address already.
    const prefix = this.legacy
      ? base.endsWith('/v1')
        ? ''
        : '/v1'
      : tenant === undefined
        ? ''
        : `/${encodeURIComponent(tenant)}`;
    url.pathname = `${base}${prefix}${path}`;
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value));
    return {
      method,
      url: url.href,
      headers: {
        accept: this.legacy ? 'application/json' : 'application/a2a+json, application/json',
        ...headers,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      ...options,
    };
  }

  /** An answer with the status of an error. */
  private failure(answer: HttpAnswer): Error {
    const { http, faults } = this.options;
    if (answer.status === 401 || answer.status === 403) return faults.refused({ http: answer.status });
    try {
      const { value } = http.json(answer);
      if (isObject(value) && (isObject(value['error']) || typeof value['code'] === 'number')) {
        return this.errorOf(value, answer.status);
      }
    } catch {
      // No JSON: whoever answered, it was no agent.
    }
    return faults.strange(answer.status);
  }

  /** 1.0: `{error: {code: <HTTP status>, details}}`; 0.3: `{code: <JSON-RPC code>, message, data}`. */
  private errorOf(body: Json, http?: number): Error {
    const error = isObject(body['error']) ? body['error'] : body;
    const code = typeof error['code'] === 'number' ? error['code'] : undefined;
    const details = error['details'] ?? error['data'];
    return this.options.faults.refused({
      ...(typeof error['message'] === 'string' && { message: error['message'] }),
      ...(code !== undefined && code < 0 && { rpc: code }),
      http: http ?? (code !== undefined && code > 0 ? code : undefined),
      details: Array.isArray(details) ? details : [details],
    });
  }
}

const NOTHING: Answer = { value: {}, unread: [] };

const isNoSuchRoute = ({ code }: RemoteError): boolean => code === 'HTTP_404' || code === 'HTTP_405';
