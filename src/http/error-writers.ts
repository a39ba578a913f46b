// Writes an error in the shape of the surface it happened on. What is not an AppError, or is `internal`, is logged and
// shown as one fixed sentence.
import type { Request, Response } from 'express';
import { AppError, errorText, toAppError } from '../errors.js';
import type { Logger } from '../log.js';
import type { ErrorWriter } from './door.js';
import { errorDetails } from './error-details.js';
import { ERROR_TABLE, type ErrorRow } from './error-table.js';

export interface ErrorWriters {
  /** `{jsonrpc, id, error}`; the response's status as it was (200, usually) unless the refusal is the door's. */
  jsonRpc: ErrorWriter;
  /** `{error: {code, status, message, details}}`. */
  rest: ErrorWriter;
  /** Like `jsonRpc`, with the codes that 0.3 knew. */
  legacyJsonRpc: ErrorWriter;
  /** `{code, message, data}` with the codes that 0.3 knew. */
  legacyRest: ErrorWriter;
  /** `{error: {code, message, …}}` with the product's own codes. */
  operator: ErrorWriter;
}

/** The writers of all surfaces; internal errors go to `log`. */
export function createErrorWriters(log: Logger): ErrorWriters {
  const prepare = (thrown: unknown, req: Request): AppError => {
    const error = toAppError(thrown);
    if (ERROR_TABLE[error.code].http >= 500 && error.code !== 'invalid-agent-response') {
      const cause = error.cause ?? error;
      log.error({ method: req.method, path: req.path, code: error.code, err: cause }, errorText(cause));
      if (ERROR_TABLE[error.code].http === 500) return new AppError('internal', 'An internal error occurred.');
    }
    return error;
  };
  const rpcWriter =
    (codeOf: (row: ErrorRow) => number): ErrorWriter =>
    (thrown, req, res) => {
      const error = prepare(thrown, req);
      const row = ERROR_TABLE[error.code];
      send(res, error, row.door ? row.http : res.statusCode, 'application/json', {
        jsonrpc: '2.0',
        id: requestId(req.body),
        error: { code: codeOf(row), message: error.message, data: errorDetails(error) },
      });
    };
  return {
    jsonRpc: rpcWriter(({ rpc }) => rpc),
    legacyJsonRpc: rpcWriter(legacyCode),
    legacyRest: (thrown, req, res) => {
      const error = prepare(thrown, req);
      const row = ERROR_TABLE[error.code];
      const body = { code: legacyCode(row), message: error.message, data: errorDetails(error) };
      send(res, error, row.http, 'application/json', body);
    },
    rest: (thrown, req, res) => {
      const error = prepare(thrown, req);
      const { http, status } = ERROR_TABLE[error.code];
      send(res, error, http, 'application/a2a+json', {
        error: { code: http, status, message: error.message, details: errorDetails(error) },
      });
    },
    operator: (thrown, req, res) => {
      const error = prepare(thrown, req);
      const { http, operatorHttp } = ERROR_TABLE[error.code];
      send(res, error, operatorHttp ?? http, 'application/json', {
        error: { code: error.code, message: error.message, ...error.details },
      });
    },
  };
}

const legacyCode = ({ rpc, legacyRpc = rpc }: ErrorRow): number => legacyRpc;

/** A JSON-RPC id that may be repeated in a response: a string of bearable length, or a whole number; else null. */
export function requestId(body: unknown): string | number | null {
  const id = typeof body === 'object' && body !== null ? (body as { id?: unknown }).id : undefined;
  if (typeof id === 'string' && id.length <= MAX_ID_LENGTH) return id;
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : null;
}

/** Longer ids are refused: nobody needs them, and each response would carry them. */
export const MAX_ID_LENGTH = 1024;

function send(res: Response, error: AppError, status: number, type: string, body: unknown): void {
  if (res.headersSent) {
    // Half an answer is out already: cutting the connection is the only honest sign left.
    res.destroy();
    return;
  }
  if (error.code === 'unauthenticated') {
    res.setHeader('WWW-Authenticate', [
      'Bearer realm="a2a-switchboard"',
      'ApiKey realm="a2a-switchboard", header="X-API-Key"',
    ]);
  }
  if (error.details.retryAfter !== undefined) res.setHeader('Retry-After', Math.ceil(error.details.retryAfter));
  const text = JSON.stringify(body);
  res.statusCode = status;
  res.setHeader('Content-Type', type);
  res.setHeader('Content-Length', Buffer.byteLength(text));
  res.end(text);
}
