// JSON-RPC of 1.0 and 0.3 as a client speaks it.
import { isObject } from '../read-json.js';
import type { Binding, BindingOptions } from './binding.js';
import type { ProtocolVersion } from './peer-card.js';
import type { PeerFaults } from './peer-faults.js';
import type { HttpAnswer, HttpRequest, PeerHttp } from './peer-http.js';
import type { Answer } from './read-answer.js';
import { writeLegacyParams, writeParams, type Json, type Operation, type OperationName } from './write-request.js';

/** What 0.3 calls them; it has no list. */
const LEGACY_METHODS: Readonly<Partial<Record<OperationName, string>>> = {
  SendMessage: 'message/send',
  GetTask: 'tasks/get',
  CancelTask: 'tasks/cancel',
  SubscribeToTask: 'tasks/resubscribe',
  CreateTaskPushNotificationConfig: 'tasks/pushNotificationConfig/set',
  DeleteTaskPushNotificationConfig: 'tasks/pushNotificationConfig/delete',
  GetExtendedAgentCard: 'agent/getAuthenticatedExtendedCard',
};

interface JsonRpcOptions {
  http: PeerHttp;
  faults: PeerFaults;
  url: string;
  protocol: ProtocolVersion;
  tenant?: string;
}

export class JsonRpcBinding implements Binding {
  private lastId = 0;

  constructor(private readonly options: JsonRpcOptions) {}

  async call(operation: Operation, options: BindingOptions): Promise<Answer> {
    const id = ++this.lastId;
    return this.whole(await this.options.http.ask(this.request(operation, id, options)), id);
  }

  async *subscribe(taskId: string, options: BindingOptions): AsyncGenerator<Answer> {
    const { http } = this.options;
    const id = ++this.lastId;
    const request = this.request({ name: 'SubscribeToTask', params: { id: taskId } }, id, options);
    // An answer that is no stream is an error, or the snapshot that some servers leave it at.
    const whole = (answer: HttpAnswer): string => {
      this.whole(answer, id);
      return answer.bytes.toString();
    };
    for await (const { data } of http.events(request, whole)) {
      if (data.trim() !== '') yield this.result(http.parse(Buffer.from(data)), id);
    }
  }

  private request(operation: Operation, id: number, { headers, ...options }: BindingOptions): HttpRequest {
    const { url, protocol, tenant, faults } = this.options;
    const legacy = protocol === '0.3';
    const method = legacy ? LEGACY_METHODS[operation.name] : operation.name;
    if (method === undefined) throw faults.unsupported(`${operation.name} in A2A 0.3`);
    const params: Json = legacy
      ? writeLegacyParams(operation)
      : { ...(tenant !== undefined && { tenant }), ...writeParams(operation) };
    return {
      method: 'POST',
      url,
      headers: { accept: 'application/json', ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
      ...options,
    };
  }

  /** Throws RemoteError for an error, whatever status it came with, and for what is no JSON-RPC. */
  private whole(answer: HttpAnswer, id: number): Answer {
    const { http, faults } = this.options;
    if (answer.status === 401 || answer.status === 403) throw faults.refused({ http: answer.status });
    const ok = answer.status >= 200 && answer.status < 300;
    if (ok) return this.result(http.json(answer), id);
    let body: unknown;
    try {
      body = http.json(answer).value;
    } catch {
      throw faults.strange(answer.status);
    }
    if (isObject(body) && isObject(body['error']) && typeof body['error']['code'] === 'number') {
      throw this.failure(body['error'], answer.status);
    }
    throw faults.strange(answer.status);
  }

  /** What an envelope holds. Some servers leave it out in a stream. */
  private result({ value, unread }: Answer, id: number): Answer {
    const { faults } = this.options;
    if (!isObject(value)) throw faults.broken('sent an answer that is no object');
    if (isObject(value['error'])) throw this.failure(value['error']);
    const enveloped = 'jsonrpc' in value || 'result' in value;
    if (!enveloped) return { value, unread };
    const answered = value['id'];
    if (answered !== undefined && answered !== null && String(answered) !== String(id)) {
      throw faults.broken('answered another request');
    }
    if (!('result' in value)) throw faults.broken('sent an answer without a result');
    return { value: value['result'], unread };
  }

  private failure({ code, message, data }: Json, http?: number): Error {
    return this.options.faults.refused({
      ...(typeof code === 'number' && { rpc: code }),
      ...(typeof message === 'string' && { message }),
      ...(http !== undefined && { http }),
      details: Array.isArray(data) ? data : [data],
    });
  }
}
