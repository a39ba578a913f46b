// One error type with a closed set of codes. It knows neither HTTP nor JSON-RPC: small tables at the edges translate.

export const ERROR_CODES = [
  'invalid-params', // the request is well-formed but its values are not acceptable
  'parse-error', // not JSON at all
  'invalid-request', // JSON, but not a request of this protocol
  'method-not-found', // unknown JSON-RPC method
  'not-found', // no such route or operator resource
  'method-not-allowed',
  'unsupported-media-type',
  'too-large', // body or part above its limit
  'unauthenticated',
  'forbidden', // authenticated, but lacking the permission for this operation
  'agent-not-found', // unknown, not exposed or not permitted: one answer for all three
  'task-not-found',
  'task-not-cancelable',
  'unsupported-operation',
  'content-type-not-supported',
  'push-not-supported',
  'extended-card-not-configured',
  'extension-required',
  'version-not-supported',
  'invalid-agent-response',
  'busy', // the context already has a running turn
  'cooldown',
  'quota',
  'loop', // the hop chain is too long or closes a cycle
  'rate-limited',
  'overloaded',
  'storage-failed', // nothing was accepted; safe to retry
  'locked', // another process holds the home
  'config', // configuration or an owner's file is not usable
  'internal',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

export interface FieldViolation {
  /** Path of the offending field in camelCase, e.g. `message.parts[0]`. */
  field: string;
  description: string;
}

export interface ErrorDetails {
  violations?: FieldViolation[];
  /** Seconds until a retry may succeed. */
  retryAfter?: number;
  /** The task the error is about, e.g. the running one when busy. */
  taskId?: string;
  /** The webhook that the task does not have. */
  pushConfigId?: string;
}

/** Bad input or a refusal. `message` is meant for the caller: it never holds secrets, paths or stack traces. */
export class AppError extends Error {
  override readonly name = 'AppError';
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly details: ErrorDetails = {},
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}

/** The text of anything thrown, for logs. */
export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Any thrown value as an AppError; what is not one becomes `internal` and keeps its cause for the log only. */
export const toAppError = (error: unknown): AppError =>
  error instanceof AppError ? error : new AppError('internal', 'An internal error occurred.', {}, { cause: error });
