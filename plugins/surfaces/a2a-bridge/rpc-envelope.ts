// The JSON-RPC envelope: which request it is, or why it is none.
import { AppError } from '../../../src/errors.js';
import { MAX_ID_LENGTH } from '../../../src/http/error-writers.js';
import { Fields, invalid } from './fields.js';
import { isOperationName, type OperationName } from './operation.js';

export interface RpcCall {
  id: string | number | null;
  /** Sent without an id: it is carried out and gets no answer. */
  notification: boolean;
  name: OperationName;
  params: Fields;
}

/** Reads a parsed body. Throws AppErrors `parse-error`, `invalid-request`, `method-not-found`, `invalid-params`. */
export function readEnvelope(body: unknown): RpcCall {
  if (body === undefined) throw new AppError('parse-error', 'The body is empty.');
  if (Array.isArray(body)) throw new AppError('invalid-request', 'Batches are not supported.');
  if (typeof body !== 'object' || body === null) throw new AppError('invalid-request', 'The body must be an object.');
  const { jsonrpc, id, method, params } = body as Record<string, unknown>;
  if (id !== undefined && id !== null && typeof id !== 'string' && !Number.isSafeInteger(id)) {
    throw new AppError('invalid-request', 'id must be a string or a whole number.');
  }
  if (typeof id === 'string' && id.length > MAX_ID_LENGTH) {
    throw new AppError('invalid-request', `id must not be longer than ${MAX_ID_LENGTH} characters.`);
  }
  if (jsonrpc !== '2.0') throw new AppError('invalid-request', 'jsonrpc must be "2.0".');
  if (typeof method !== 'string' || method === '') throw new AppError('invalid-request', 'method must be a string.');
  if (!isOperationName(method)) throw new AppError('method-not-found', 'There is no such method.');
  if (params === undefined && method !== 'GetExtendedAgentCard') throw invalid('params', 'is required');
  return {
    id: (id ?? null) as string | number | null,
    notification: !Object.hasOwn(body, 'id'),
    name: method,
    params: Fields.of(params ?? {}),
  };
}
