// The JSON-RPC envelope: which request it is, or why it is none.
import { isLegacyJsonRpcMethod, legacyJsonRpcToV1Method } from '@a2a-js/sdk/compat/v0_3';
import { AppError } from '../../../src/errors.js';
import { MAX_ID_LENGTH } from '../../../src/http/error-writers.js';
import { Fields, invalid } from './fields.js';
import { isOperationName, type OperationName } from './operation.js';
import { LEGACY_VERSION, PROTOCOL_VERSION, type ProtocolVersion } from './protocol-version.js';
import { readLegacy } from './v0-3/read-legacy.js';

interface RpcCall {
  id: string | number | null;
  /** Sent without an id: it is carried out and gets no answer. */
  notification: boolean;
  name: OperationName;
  /** Spelt as in 1.0, whatever the version. */
  params: Fields;
}

/** Reads a parsed body. Throws AppErrors `parse-error`, `invalid-request`, `method-not-found`, `invalid-params`. */
export function readEnvelope(body: unknown, version: ProtocolVersion): RpcCall {
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
  const name = operationOf(method, version);
  if (params === undefined && name !== 'GetExtendedAgentCard') throw invalid('params', 'is required');
  const fields = Fields.of(params ?? {});
  return {
    id: (id ?? null) as string | number | null,
    notification: !Object.hasOwn(body, 'id'),
    name,
    params: version === LEGACY_VERSION ? Fields.of(readLegacy(name, fields)) : fields,
  };
}

function operationOf(method: string, version: ProtocolVersion): OperationName {
  const legacy = isLegacyJsonRpcMethod(method);
  const name = legacy ? legacyJsonRpcToV1Method(method) : method;
  if (!isOperationName(name)) throw new AppError('method-not-found', 'There is no such method.');
  if (legacy === (version === LEGACY_VERSION)) return name;
  const other = legacy ? LEGACY_VERSION : PROTOCOL_VERSION;
  // Most likely a forgotten header: without one the version is 0.3.
  throw new AppError('method-not-found', `A2A ${other} has this method; send A2A-Version: ${other} to use it.`);
}
