// Which protocol version a request asks for, and whether it is spoken here.
import { AppError } from '../../../src/errors.js';

export const PROTOCOL_VERSION = '1.0';
export const LEGACY_VERSION = '0.3';
export type ProtocolVersion = typeof PROTOCOL_VERSION | typeof LEGACY_VERSION;

/**
 * The version from the header or, without one, the query. A patch number means nothing; no version at all means 0.3,
 * whose clients send none. Throws AppError `version-not-supported`.
 */
export function negotiateVersion(header: string | undefined, query: unknown): ProtocolVersion {
  const asked = header?.trim() || (typeof query === 'string' ? query.trim() : '') || LEGACY_VERSION;
  const [, majorMinor] = /^(\d{1,5}\.\d{1,5})(?:\.\d{1,9})?$/.exec(asked) ?? [];
  if (majorMinor === PROTOCOL_VERSION || majorMinor === LEGACY_VERSION) return majorMinor;
  throw new AppError(
    'version-not-supported',
    `A2A version ${majorMinor ?? 'as given'} is not supported here; send A2A-Version: ${PROTOCOL_VERSION}.`,
  );
}
