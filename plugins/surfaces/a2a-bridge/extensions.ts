// A2A extensions: which the switchboard has, which a request asks for, and which are in force for it. URIs are compared
// as they are: another case or another version is another extension.
import { AppError } from '../../../src/errors.js';
import { IDEMPOTENT_SEND } from '../../../src/extension-uris.js';

interface Extension {
  uri: string;
  description: string;
}

const EXTENSIONS: readonly Extension[] = [
  {
    uri: IDEMPOTENT_SEND,
    description: 'A message sent again under the same messageId within a day is answered by its first task.',
  },
];

/** Those that the configuration leaves on. */
export const offeredExtensions = ({ idempotentSend }: { idempotentSend: boolean }): readonly Extension[] =>
  EXTENSIONS.filter(({ uri }) => idempotentSend || uri !== IDEMPOTENT_SEND);

/** Header of 1.0 and, for 0.3, its old name. */
export const EXTENSIONS_HEADER = 'A2A-Extensions';
export const LEGACY_EXTENSIONS_HEADER = 'X-A2A-Extensions';

/** The URIs that a request lists, each once. Repeated headers are one list. */
export function requestedExtensions(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  legacy: boolean,
): string[] {
  const names = legacy ? [LEGACY_EXTENSIONS_HEADER, EXTENSIONS_HEADER] : [EXTENSIONS_HEADER];
  const values = names.flatMap((name) => headers[name.toLowerCase()] ?? []);
  const uris = values.flatMap((value) => value.split(',')).map((uri) => uri.trim());
  return [...new Set(uris.filter((uri) => uri !== ''))];
}

/**
 * What is in force: requested and offered here. What is not known is ignored. Throws AppError `extension-required` when
 * one of `required` was not requested.
 */
export function activeExtensions(
  requested: readonly string[],
  required: readonly string[],
  offered: readonly Extension[] = EXTENSIONS,
): string[] {
  const missing = requiredExtensions(required, offered).filter((uri) => !requested.includes(uri));
  if (missing.length > 0) {
    throw new AppError('extension-required', `List ${missing.join(', ')} in the header ${EXTENSIONS_HEADER}.`);
  }
  return requested.filter((uri) => isAmong(offered, uri));
}

/** Of the configured ones those that are offered: nobody could satisfy the rest. */
export const requiredExtensions = (configured: readonly string[], offered = EXTENSIONS): string[] =>
  configured.filter((uri) => isAmong(offered, uri));

export const unknownExtensions = (configured: readonly string[], offered = EXTENSIONS): string[] =>
  configured.filter((uri) => !isAmong(offered, uri));

const isAmong = (extensions: readonly Extension[], uri: string): boolean =>
  extensions.some((extension) => extension.uri === uri);
