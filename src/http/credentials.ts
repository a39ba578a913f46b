// The key a request carries: `X-API-Key` or `Authorization: Bearer`, and both only if they agree.
import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '../errors.js';

const BEARER = /^bearer +(\S+) *$/i;

/** The key. Throws AppError `unauthenticated` when there is none, or two that differ. */
export function requestKey(headers: IncomingHttpHeaders): string {
  const apiKey = headers['x-api-key'] as string | undefined;
  const { authorization } = headers;
  const bearer = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
  if (authorization !== undefined && bearer === undefined && !apiKey) {
    throw new AppError('unauthenticated', 'The Authorization header must have the form "Bearer <key>".');
  }
  const key = apiKey || bearer;
  if (!key) throw new AppError('unauthenticated', 'A key is required: X-API-Key or Authorization: Bearer.');
  if (apiKey && bearer !== undefined && bearer !== apiKey) {
    throw new AppError('unauthenticated', 'X-API-Key and Authorization name different keys.');
  }
  return key;
}
