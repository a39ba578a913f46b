// Writes an error in the shape of the surface it happened on. What is not an AppError, or is `internal`, is logged and
// shown as one fixed sentence.
import type { Response } from 'express';
import { AppError, errorText, toAppError } from '../errors.js';
import type { Logger } from '../log.js';
import type { ErrorWriter } from './door.js';
import { ERROR_SHAPES, errorAnswer, type ErrorAnswer, type ErrorShape } from './error-bodies.js';
import { ERROR_TABLE, type ErrorRow } from './error-table.js';

/** One writer a shape. */
export type ErrorWriters = Record<ErrorShape, ErrorWriter>;

/** What is expected to come often, and is nobody's mistake here: who refuses counts it, and says once that it does. */
const UNLOGGED: ReadonlySet<string> = new Set(['overloaded', 'invalid-agent-response']);

const isInternal = ({ http }: ErrorRow): boolean => http === 500;

/** What may be told of an error: what is not meant for its caller is logged with `where`, and told as one fixed sentence. */
export const createTeller =
  (log: Logger) =>
  (thrown: unknown, where: object, hidden: (row: ErrorRow) => boolean = isInternal): AppError => {
    const error = toAppError(thrown);
    if (ERROR_TABLE[error.code].http >= 500 && !UNLOGGED.has(error.code)) {
      const cause = error.cause ?? error;
      log.error({ ...where, code: error.code, err: cause }, errorText(cause));
      if (hidden(ERROR_TABLE[error.code])) return new AppError('internal', 'An internal error occurred.');
    }
    return error;
  };

/** The writers of all surfaces; internal errors go to `log`. */
export function createErrorWriters(log: Logger): ErrorWriters {
  const tell = createTeller(log);
  const writer =
    (shape: ErrorShape): ErrorWriter =>
    (thrown, req, res) => {
      // On the operator's surface some of them have a status of their own, and may be told.
      const hidden = (row: ErrorRow): boolean => isInternal(row) && row.operatorHttp === undefined;
      const error = tell(
        thrown,
        { requestId: req.id, method: req.method, path: req.path },
        shape === 'operator' ? hidden : isInternal,
      );
      send(res, error, errorAnswer(shape, error, requestId(req.body)));
    };
  return Object.fromEntries(ERROR_SHAPES.map((shape) => [shape, writer(shape)])) as ErrorWriters;
}

/** A JSON-RPC id that may be repeated in a response: a string of bearable length, or a whole number; else null. */
export function requestId(body: unknown): string | number | null {
  const id = typeof body === 'object' && body !== null ? (body as { id?: unknown }).id : undefined;
  if (typeof id === 'string' && id.length <= MAX_ID_LENGTH) return id;
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : null;
}

/** Longer ids are refused: nobody needs them, and each response would carry them. */
export const MAX_ID_LENGTH = 1024;

function send(res: Response, error: AppError, { status = res.statusCode, type, body }: ErrorAnswer): void {
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
