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

interface FieldViolation {
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

/** How many characters of a text that foreign code made are told at most: nobody reads more in a log. */
const TOLD = 4_000;

const UNREADABLE = 'it threw a value that can not be read';

/** Longer than any secret, in characters. */
const LONGEST_WORD = 1_000;

/** The text, cut between two words where it is too long to be told: half a secret would not be known for one any more. */
export function clipped(text: string, most = TOLD): string {
  if (text.length <= most) return text;
  const cutsWord = (at: number): boolean => at > 0 && /\S\S/.test(text.slice(at - 1, at + 1));
  let end = most;
  while (cutsWord(end) && most - end < LONGEST_WORD) end--;
  return `${text.slice(0, end)}… (cut from ${text.length} characters)`;
}

/**
 * What was thrown; another error in its place where it throws as soon as somebody looks at it, or is an error whose texts
 * are none. Foreign code throws anything: what its authors' code threw passes through here before it is looked at.
 */
export function readable(thrown: unknown): unknown {
  try {
    if (!(thrown instanceof Error)) {
      String(thrown);
      return thrown;
    }
    const { message, stack } = thrown;
    if (typeof message === 'string' && ['string', 'undefined'].includes(typeof stack)) return thrown;
  } catch {
    // It can't be read.
  }
  // Nobody may think that it was thrown here.
  return Object.assign(new Error(UNREADABLE), { stack: undefined });
}

/** The text of anything thrown, for logs, whatever its length. Never throws. */
export function errorText(thrown: unknown): string {
  try {
    const error = readable(thrown);
    return error instanceof Error ? error.message : String(error);
  } catch {
    return UNREADABLE;
  }
}

const isAppError = (thrown: unknown): thrown is AppError => readable(thrown) === thrown && thrown instanceof AppError;

/** Any thrown value as an AppError; what is not one becomes `internal` and keeps its cause for the log only. */
export const toAppError = (error: unknown): AppError =>
  isAppError(error) ? error : new AppError('internal', 'An internal error occurred.', {}, { cause: error });

/** The operating system's code of an error, e.g. `EEXIST`; undefined where it has none. */
export const systemCode = (error: unknown): string | undefined =>
  (error as NodeJS.ErrnoException | null | undefined)?.code;

/** True for "no such file or folder". */
export const isMissing = (error: unknown): boolean => systemCode(error) === 'ENOENT';
