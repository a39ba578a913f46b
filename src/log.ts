// Structured logs. Secrets are redacted by name here and by value wherever they were registered.
import { pino, type Logger } from 'pino';

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

/** Values that must never leave the process in a log line or an error's text, e.g. the operator's key. */
export class Secrets {
  private readonly values = new Set<string>();
  /** The longest first, so that no value uncovers the rest of one that begins with it. Made anew after an `add`. */
  private ordered: readonly string[] | undefined;

  /**
   * Registers a value of at least 6 characters; shorter ones would redact half the log. Its form within a JSON string
   * is covered too, which is how it stands in a line where it holds quotes, backslashes or control characters.
   */
  add(value: string): void {
    if (value.length < 6 || this.values.has(value)) return;
    this.values.add(value).add(JSON.stringify(value).slice(1, -1));
    this.ordered = undefined;
  }

  /** The text with every registered value replaced. */
  redact(text: string): string {
    this.ordered ??= [...this.values].sort((a, b) => b.length - a.length);
    let clean = text;
    for (const value of this.ordered) if (clean.includes(value)) clean = clean.replaceAll(value, REDACTED);
    return clean;
  }
}

export const REDACTED = '[redacted]';

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
      redact: { paths: SECRET_NAMES.flatMap((name) => [name, `*.${name}`]), censor: REDACTED },
    },
    { write: (line: string) => void destination.write(secrets.redact(line)) },
  );
}

/** A logger that says nothing, for tests and for tools that print their own output. */
export const silentLogger = (): Logger => pino({ level: 'silent' });
