// Which protocol version a request asks for, and whether it is spoken here.
import { AppError } from '../../../src/errors.js';

export const PROTOCOL_VERSION = '1.0';

/**
 * Checks the version from the header or, without one, the query. A patch number means nothing; none at all means 0.3.
 * Throws AppError `version-not-supported`.
 */
export function negotiateVersion(header: string | undefined, query: unknown): typeof PROTOCOL_VERSION {
  const asked = header?.trim() || (typeof query === 'string' ? query.trim() : '') || '0.3';
  const [, majorMinor] = /^(\d{1,5}\.\d{1,5})(?:\.\d{1,9})?$/.exec(asked) ?? [];
  if (majorMinor === PROTOCOL_VERSION) return PROTOCOL_VERSION;
  throw new AppError(
    'version-not-supported',
    `A2A version ${majorMinor ?? 'as given'} is not supported here; send A2A-Version: ${PROTOCOL_VERSION}.`,
  );
}
