// What went wrong between the driver and its endpoint, in a few fixed sentences: an endpoint's own words may hold keys,
// addresses and other people's text, so they reach the log at most, never a caller. Pure.

const SENTENCES = {
  'model-unauthorized': 'The language model did not accept the key of this assistant.',
  'model-not-found': 'The endpoint of this assistant knows no such language model or address.',
  'model-busy': 'The language model is over a limit of its endpoint. Try again later.',
  'model-down': 'The endpoint of the language model has a problem of its own. Try again later.',
  'model-context': 'The conversation is too long for the language model.',
  'model-request': 'The language model did not accept the request.',
  'model-answer': "The language model's answer could not be understood.",
  'model-broke-off': "The language model's answer broke off.",
  'model-filtered': 'The endpoint of the language model withheld the answer.',
  'model-unreachable': 'The endpoint of the language model could not be reached.',
  'model-timeout': 'The language model did not answer in time.',
  'model-failed': 'The language model failed.',
} as const;

type ModelFailureCode = keyof typeof SENTENCES;

/** A failure whose kind is known where it happens. Its message is for callers to read. */
export class ModelFailure extends Error {
  override readonly name = 'ModelFailure';
  constructor(
    readonly code: ModelFailureCode,
    options?: { cause?: unknown },
  ) {
    super(SENTENCES[code], options);
  }
}

const TOO_LONG =
  /context.{0,20}(length|window|size|limit)|maximum context|too many (input )?tokens|prompt is too long|token limit/i;

/** Whatever the endpoint, the library or the network threw, as one of the known failures. */
export function modelFailure(error: unknown): ModelFailure {
  const known = [...chain(error)].find((link) => link instanceof ModelFailure);
  if (known) return known;
  for (const link of chain(error)) {
    const code = codeOf(link);
    if (code) return new ModelFailure(code, { cause: error });
  }
  return new ModelFailure('model-failed', { cause: error });
}

/**
 * What the owner is told in the log: each error's words and the start of the endpoint's answer. Never the whole error,
 * which holds the request, and so the conversation.
 */
export const reasonsOf = (error: unknown): string[] =>
  [...chain(error)].map(({ name, message, statusCode, responseBody }) =>
    [name, statusCode, message, responseBody]
      .filter((word) => word !== undefined && word !== '')
      .map((word) => String(word).slice(0, 300))
      .join(': '),
  );

/** The error and what it names as its causes. */
function* chain(error: unknown): Generator<Record<string, unknown>> {
  let link = error;
  for (let depth = 0; depth < 8 && typeof link === 'object' && link !== null; depth++) {
    yield link as Record<string, unknown>;
    link = (link as { lastError?: unknown }).lastError ?? (link as { cause?: unknown }).cause;
  }
}

function codeOf(link: Record<string, unknown>): ModelFailureCode | undefined {
  const { name, message, statusCode, responseBody, reason, code, type } = link;
  const words = [message, responseBody, code, type].filter((word) => typeof word === 'string').join(' ');
  if (typeof statusCode === 'number' && statusCode >= 400) return codeOfStatus(statusCode, words);
  // A good answer of which not all could be read.
  if (typeof statusCode === 'number') return tooMuch(link) ? 'model-answer' : 'model-broke-off';
  if (/InvalidResponse/.test(String(name)) && link['data'] === undefined) return 'model-broke-off';
  if (name === 'FetchError') return reason === 'timeout' ? 'model-timeout' : codeOfFetch(reason);
  if (/JSONParse|TypeValidation|InvalidResponse|EmptyResponse/.test(String(name))) return 'model-answer';
  if (/^(UND_ERR_SOCKET|ECONNRESET|EPIPE)$/.test(String(code))) return 'model-broke-off';
  if (/^(ECONN|ENOTFOUND|EAI_|EHOST|ENET|UND_ERR_CONNECT)/.test(String(code))) return 'model-unreachable';
  if (link instanceof Error) return undefined;
  // An error in the middle of a stream: the endpoint's own object.
  return codeOfWords(words) ?? 'model-failed';
}

const tooMuch = (link: Record<string, unknown>): boolean =>
  [...chain(link)].some(({ name, reason }) => name === 'FetchError' && reason === 'too-large');

const codeOfFetch = (reason: unknown): ModelFailureCode =>
  reason === 'too-large' || reason === 'bad-answer' || reason === 'redirect' ? 'model-answer' : 'model-unreachable';

function codeOfStatus(status: number, words: string): ModelFailureCode {
  if (status === 401 || status === 403) return 'model-unauthorized';
  if (status === 413 || (status < 500 && TOO_LONG.test(words))) return 'model-context';
  if (status === 404) return 'model-not-found';
  if (status === 408 || status === 504) return 'model-timeout';
  if (status === 429) return 'model-busy';
  return status >= 500 ? 'model-down' : 'model-request';
}

function codeOfWords(words: string): ModelFailureCode | undefined {
  if (TOO_LONG.test(words)) return 'model-context';
  if (/rate.?limit|quota|overloaded|\b429\b/i.test(words)) return 'model-busy';
  if (/unauthori[sz]ed|api.?key|\b401\b/i.test(words)) return 'model-unauthorized';
  if (/internal|unavailable|\b50\d\b/i.test(words)) return 'model-down';
  return undefined;
}
