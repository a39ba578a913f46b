// What a command's exit code means; the same small table for all of them.
import { AppError, type ErrorCode } from '../errors.js';

export const EXIT = {
  ok: 0,
  /** The work itself failed, or something unexpected happened. */
  failure: 1,
  /** The command or its arguments are not valid. */
  usage: 2,
  /** No server answers. */
  unreachable: 3,
  /** The operator key was not accepted. */
  unauthorised: 4,
  /** Understood, but not possible now: busy, a limit, a state that does not allow it. */
  refused: 5,
  /** No such agent, task, caller or workspace. */
  notFound: 6,
  /** The configuration, an owner's file or the home is not usable. */
  config: 7,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** No server answers at the address. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

const BY_ERROR: Readonly<Record<ErrorCode, ExitCode>> = {
  'invalid-params': EXIT.usage,
  'parse-error': EXIT.usage,
  'invalid-request': EXIT.usage,
  'method-not-found': EXIT.failure,
  'not-found': EXIT.notFound,
  'method-not-allowed': EXIT.failure,
  'unsupported-media-type': EXIT.usage,
  'too-large': EXIT.usage,
  unauthenticated: EXIT.unauthorised,
  forbidden: EXIT.unauthorised,
  'agent-not-found': EXIT.notFound,
  'task-not-found': EXIT.notFound,
  'task-not-cancelable': EXIT.refused,
  'unsupported-operation': EXIT.refused,
  'content-type-not-supported': EXIT.usage,
  'push-not-supported': EXIT.refused,
  'extended-card-not-configured': EXIT.refused,
  'extension-required': EXIT.refused,
  'version-not-supported': EXIT.refused,
  'invalid-agent-response': EXIT.failure,
  busy: EXIT.refused,
  cooldown: EXIT.refused,
  quota: EXIT.refused,
  loop: EXIT.refused,
  'rate-limited': EXIT.refused,
  overloaded: EXIT.refused,
  'storage-failed': EXIT.failure,
  locked: EXIT.config,
  config: EXIT.config,
  internal: EXIT.failure,
};

const LISTENING = ['EADDRINUSE', 'EADDRNOTAVAIL', 'EACCES', 'ENOTFOUND', 'EAI_AGAIN'];

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof AppError) return BY_ERROR[error.code];
  if (error instanceof Unreachable) return EXIT.unreachable;
  // The port is taken, or the address is not this machine's, or none.
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  return LISTENING.includes(code ?? '') ? EXIT.config : EXIT.failure;
}
