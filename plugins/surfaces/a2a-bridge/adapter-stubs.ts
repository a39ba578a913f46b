// What the SDK's adapters get to see. The bridge has read the request already, so they need just enough to dispatch the
// operation and shape its result: no second decoding, no paths or ids of the client's making.
import type { Request, RequestHandler, Response } from 'express';
import { AppError } from '../../../src/errors.js';
import type { HttpCall } from './http-call.js';
import type { Operation } from './operation.js';
import { sendCard } from './send-card.js';
import { LEGACY_RPC, type LegacyShape } from './v0-3/legacy-shape.js';

/** Replaces the body of a JSON-RPC request. */
export function stubRpc(req: Request, id: string | number | null, operation: Operation): void {
  const params = operation.name === 'ListTasks' ? { includeArtifacts: operation.list.includeArtifacts } : {};
  req.url = '/';
  req.body = { jsonrpc: '2.0', id, method: operation.name, params };
}

/** Replaces path, query and body of a REST request. */
export function stubRest(req: Request, operation: Operation): void {
  req.url = restUrl(operation);
  // It also looks at the header of requests that have no body, where any value may stand.
  req.headers['content-type'] = 'application/json';
  // The adapter insists on a message with an id.
  req.body = 'send' in operation ? { message: { messageId: '-' } } : {};
}

function restUrl(operation: Operation): string {
  switch (operation.name) {
    case 'SendMessage':
      return '/message:send';
    case 'SendStreamingMessage':
      return '/message:stream';
    case 'GetTask':
      return '/tasks/-';
    case 'ListTasks':
      return operation.list.includeArtifacts ? '/tasks?includeArtifacts=true' : '/tasks';
    case 'CancelTask':
      return '/tasks/-:cancel';
    case 'SubscribeToTask':
      return '/tasks/-:subscribe';
    case 'CreateTaskPushNotificationConfig':
    case 'ListTaskPushNotificationConfigs':
      return '/tasks/-/pushNotificationConfigs';
    case 'GetTaskPushNotificationConfig':
    case 'DeleteTaskPushNotificationConfig':
      return '/tasks/-/pushNotificationConfigs/-';
    case 'GetExtendedAgentCard':
      return '/extendedAgentCard';
    default:
      return operation satisfies never;
  }
}

/**
 * Gives a request to an adapter for good. Routers keep the way back of every request they have handed on; a stream that
 * stays for hours would keep all of it, so the way is cut here.
 */
export function handOver(adapter: RequestHandler, call: HttpCall): void {
  const { req, res } = call;
  // The body was read and checked; what the headers said about it is of no more interest to anybody.
  req.headers['content-type'] = 'application/json';
  delete req.headers['content-encoding'];
  req.next = undefined;
  req.params = {};
  void adapter(req, res, (error) => {
    call.fail(error ?? new Error('the adapter did not know the operation'));
    call.answerInstead();
  });
}

/**
 * Takes the place of `res.json` while an adapter has the response. Failures are written by the bridge, with all their
 * details; an error that is the adapter's own never shows its text.
 */
export function answerJson(this: Response, body: unknown): Response {
  const call = this.locals['call'] as HttpCall;
  if (isError(body) && !call.failed) {
    call.fail(new AppError('internal', 'An internal error occurred.', {}, { cause: body.error }));
  }
  if (call.failed) {
    this.statusCode = 200;
    call.answerInstead();
    return this;
  }
  // Clients exist that take any other status for a failure.
  if (!call.legacy) this.statusCode = 200;
  const full = call.defaults ? withDefaults(body, call.defaults) : body;
  const answer = call.legacy ? inLegacyShape(call, call.legacy, full) : full;
  if (call.legacy || !this.hasHeader('Content-Type')) this.setHeader('Content-Type', 'application/json');
  if (call.name === 'GetExtendedAgentCard' && call.req.method === 'GET') {
    sendCard(call.req, this, answer, 'private', this.getHeader('Content-Type') as string);
    return this;
  }
  const text = JSON.stringify(answer);
  this.setHeader('Content-Length', Buffer.byteLength(text));
  this.end(text);
  return this;
}

/**
 * Takes the place of `res.end` while an adapter deletes something: 1.0 returns an empty object then, and clients exist
 * that read it.
 */
export function endWithEmpty(this: Response, ...body: unknown[]): Response {
  Reflect.deleteProperty(this, 'end');
  return this.statusCode === 204 && body.length === 0 ? this.json({}) : this.end(...(body as [unknown]));
}

/** Fills in the result itself, which JSON-RPC wraps. */
function withDefaults(body: unknown, defaults: Record<string, unknown>): unknown {
  const answer = body as { jsonrpc?: string; result?: object };
  return answer.jsonrpc === undefined
    ? { ...defaults, ...answer }
    : { ...answer, result: { ...defaults, ...answer.result } };
}

/** The adapters write 1.0. Only JSON-RPC wraps what an operation returns. */
function inLegacyShape({ name, sign }: HttpCall, shape: LegacyShape, body: unknown): unknown {
  const isEnvelope = shape === LEGACY_RPC;
  const written = shape.result(name, isEnvelope ? (body as { result: unknown }).result : body);
  const result = name === 'GetExtendedAgentCard' ? sign(written as object) : written;
  return isEnvelope ? { ...(body as object), result } : result;
}

const isError = (body: unknown): body is { error: unknown } =>
  typeof body === 'object' && body !== null && 'error' in body;
