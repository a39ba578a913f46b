// Structured logs. Secrets are redacted by name here and by value wherever they were registered.
import { pino, type Logger } from 'pino';

export type { Logger };

const SECRET_NAMES = ['key', 'keys', 'authorization', 'apiKey', 'token', 'webhookSecret', 'credentials', 'password'];

/** Values that must never leave the process in a log line, e.g. the operator's key. */
export class Secrets {
  private readonly values = new Set<string>();

  /** Registers a value of at least 6 characters; shorter ones would redact half the log. */
  add(value: string): void {
    if (value.length >= 6) this.values.add(value);
  }

  /** The text with every registered value replaced. */
  redact(text: string): string {
    let clean = text;
    for (const value of this.values) if (clean.includes(value)) clean = clean.replaceAll(value, '[redacted]');
    return clean;
  }
}

/**
 * A pino logger that writes JSON lines to `destination` (standard error by default, so that standard output stays free
 * for what a command prints).
 */
export function createLogger(
  level: string,
  secrets: Secrets,
  destination: { write(line: string): void } = process.stderr,
): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: SECRET_NAMES.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' },
    },
    { write: (line: string) => void destination.write(secrets.redact(line)) },
  );
}

/** A logger that says nothing, for tests and for tools that print their own output. */
export const silentLogger = (): Logger => pino({ level: 'silent' });
