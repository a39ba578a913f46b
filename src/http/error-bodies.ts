// An error in the shape of each surface: pure, so that also what never becomes a request can be answered in kind.
import type { AppError } from '../errors.js';
import { errorDetails } from './error-details.js';
import { ERROR_TABLE, type ErrorRow } from './error-table.js';

export const ERROR_SHAPES = [
  /** `{jsonrpc, id, error: {code, message, data}}`. */
  'jsonRpc',
  /** Like `jsonRpc`, with the codes that 0.3 knew. */
  'legacyJsonRpc',
  /** `{error: {code, status, message, details}}`; the code is the HTTP status. */
  'rest',
  /** `{code, message, data}` with the codes that 0.3 knew. */
  'legacyRest',
  /** `{error: {code, message, …}}` with the product's own codes. */
  'operator',
] as const;
export type ErrorShape = (typeof ERROR_SHAPES)[number];

export interface ErrorAnswer {
  /** Undefined: the status stays what it is, 200 usually. */
  status?: number;
  type: string;
  body: unknown;
}

/** `id` is the JSON-RPC request's. `status` replaces the table's, for what HTTP itself refuses. */
export function errorAnswer(
  shape: ErrorShape,
  error: AppError,
  id: string | number | null,
  status?: number,
): ErrorAnswer {
  const row = ERROR_TABLE[error.code];
  const { message } = error;
  switch (shape) {
    case 'jsonRpc':
    case 'legacyJsonRpc': {
      const code = shape === 'jsonRpc' ? row.rpc : legacyCode(row);
      return {
        status: status ?? (row.door ? row.http : undefined),
        type: 'application/json',
        body: { jsonrpc: '2.0', id, error: { code, message, data: errorDetails(error) } },
      };
    }
    case 'rest': {
      const code = status ?? row.http;
      const body = { error: { code, status: row.status, message, details: errorDetails(error) } };
      // Not A2A's own type, which answers have: clients exist that read an error's details only in plain JSON.
      return { status: code, type: 'application/json', body };
    }
    case 'legacyRest': {
      const body = { code: legacyCode(row), message, data: errorDetails(error) };
      return { status: status ?? row.http, type: 'application/json', body };
    }
    case 'operator': {
      const body = { error: { code: error.code, message, ...error.details } };
      return { status: status ?? row.operatorHttp ?? row.http, type: 'application/json', body };
    }
    default:
      return shape satisfies never;
  }
}

const legacyCode = ({ rpc, legacyRpc = rpc }: ErrorRow): number => legacyRpc;

const RPC_PATH = /^\/(?:a2a|agents\/[^/]+\/a2a)\/?$/;
const REST_PATH = /^\/(?:a2a|agents|\.well-known)(?:\/|$)/;

/** Which surface an address belongs to, for errors that no route has claimed. */
export function shapeOfPath(path: string): ErrorShape {
  if (RPC_PATH.test(path)) return 'jsonRpc';
  return REST_PATH.test(path) ? 'rest' : 'operator';
}
