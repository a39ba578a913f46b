// Structured logs. Secrets are redacted by name here and by value wherever they were registered.
import { pino, type Logger } from 'pino';
import { clipped } from './errors.js';
import { loggedError } from './logged-error.js';
import { REDACTED, type Secrets } from './secrets/secrets.js';

export type { Logger };

/** Members of logged objects whose values are never shown, whatever they hold. */
export const SECRET_NAMES: readonly string[] = [
  'key',
  'keys',
  'authorization',
  'apiKey',
  'token',
  'webhookSecret',
  'credentials',
  'password',
];

/**
 * A pino logger that writes JSON lines to `destination` (standard error by default, so that standard output stays free
 * for what a command prints).
 */
export function createLogger(
  level: string,
  secrets: Secrets,
  destination: { write(line: string): void } = process.stderr,
): Logger {
  const redact = (text: string): string => secrets.redact(text);
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: (thrown: unknown) => loggedError(thrown, redact) },
      formatters: { log: (members) => shortened(members, redact) },
      redact: { paths: SECRET_NAMES.flatMap((name) => [name, `*.${name}`]), censor: REDACTED },
    },
    { write: (line: string) => void destination.write(secrets.redact(line)) },
  );
}

/** Texts that foreign code made may be endless. */
function shortened(members: Record<string, unknown>, redact: (text: string) => string): Record<string, unknown> {
  const isLong = (value: unknown): value is string => typeof value === 'string' && value !== clipped(value);
  if (!Object.values(members).some(isLong)) return members;
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, isLong(value) ? clipped(redact(value)) : value]),
  );
}

/** A logger that says nothing, for tests and for tools that print their own output. */
export const silentLogger = (): Logger => pino({ level: 'silent' });
