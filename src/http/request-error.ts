// What the client did wrong, as express tells it: by a 4xx status of what was thrown.
import { AppError, readable } from '../errors.js';

/** What a plugin's route threw may throw when it is looked at. */
function statusOf(error: unknown): unknown {
  try {
    return (error as { status?: unknown } | null | undefined)?.status;
  } catch {
    return undefined;
  }
}

/** Express marks what the client did wrong (a bad percent-encoding, say) so. All else is what it was. */
export function asRequestError(thrown: unknown): unknown {
  const error = readable(thrown);
  const status = statusOf(error);
  if (error instanceof AppError || typeof status !== 'number' || status < 400 || status >= 500) return error;
  return new AppError(
    'invalid-request',
    error instanceof URIError ? 'The address is not properly encoded.' : 'Bad request.',
  );
}
