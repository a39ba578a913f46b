// Why an outbound request failed: a closed set of reasons, each with one sentence that names no secret and no address.

const SENTENCES = {
  'bad-url': 'the address is not usable',
  'not-allowed': 'the address may not be reached from here',
  unresolvable: 'its name could not be resolved',
  unreachable: 'no connection could be made, or it broke',
  timeout: 'it did not answer in time',
  redirect: 'it answered with a redirect, and redirects are not followed',
  'too-large': 'its answer is larger than allowed',
  'bad-answer': 'its answer could not be understood',
  aborted: 'the request was given up',
} as const;

type FetchFailure = keyof typeof SENTENCES;

export class FetchError extends Error {
  override readonly name = 'FetchError';

  /** `status` is the HTTP status, where one was received. */
  constructor(
    readonly reason: FetchFailure,
    readonly status?: number,
    options?: { cause?: unknown },
  ) {
    super(SENTENCES[reason], options);
  }
}

const TIMEOUTS = new Set(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT']);
const NAMES = new Set(['ENOTFOUND', 'ENODATA', 'EAI_AGAIN', 'ESERVFAIL', 'EREFUSED', 'EBADNAME']);
const ANSWERS = new Set(['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'HTTPParserError']);

/** Whatever the HTTP client or the name service threw, as one of the reasons. */
export function asFetchError(error: unknown): FetchError {
  if (error instanceof FetchError) return error;
  const code = codeOf(error);
  const failure = (reason: FetchFailure): FetchError => new FetchError(reason, undefined, { cause: error });
  if (TIMEOUTS.has(code)) return failure('timeout');
  if (NAMES.has(code)) return failure('unresolvable');
  if (ANSWERS.has(code)) return failure('bad-answer');
  // A header or path that the client refused to send.
  if (code === 'UND_ERR_INVALID_ARG') return failure('bad-url');
  return failure(code === 'UND_ERR_ABORTED' ? 'aborted' : 'unreachable');
}

/** The parser's errors have no code of their own. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return error.name === 'HTTPParserError' ? error.name : String((error as NodeJS.ErrnoException).code ?? '');
}
