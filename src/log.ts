// Structured logs. Secrets are redacted by name here and by value wherever they were registered.
import { pino, type Logger } from 'pino';
import { clipped } from './errors.js';
import { loggedError } from './logged-error.js';
import { formsOf, MIN_LENGTH } from './secret-forms.js';
import { SecretMatcher } from './secret-matcher.js';

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

/** How many values that callers bring are kept, and of how many characters together. */
const MOST_PASSING = 10_000;
const MOST_PASSING_CHARACTERS = 1024 * 1024;
const TOKEN_LIKE = /^[A-Za-z0-9+/=_.~-]{16,}$/;

/**
 * Values that must never leave the process in a log line or an error's text, e.g. the operator's key. Found as they are,
 * and as they look in JSON, in a URL, in hexadecimal and in base64, there also as a part of what was encoded.
 */
export class Secrets {
  private readonly values = new Set<string>();
  /** Those that callers bring, the longest unused first. */
  private readonly passing = new Set<string>();
  private passingCharacters = 0;
  private matcher = new SecretMatcher();
  /** How many dropped values the matcher still finds: it is made anew before they get many. */
  private dropped = 0;

  /** Registers a value of at least 6 characters; shorter ones would redact half the log. */
  add(value: string): void {
    if (value.length < MIN_LENGTH || this.values.has(value)) return;
    this.values.add(value);
    register(this.matcher, value);
  }

  /**
   * Registers a value that a caller brings, e.g. a webhook's token. Only the latest are kept; and a caller must not be
   * able to black out the log's own words, so only what looks like a secret counts.
   */
  addPassing(value: string): void {
    if (!TOKEN_LIKE.test(value) || this.values.has(value)) return;
    if (this.passing.delete(value)) {
      this.passing.add(value);
      return;
    }
    this.passing.add(value);
    this.passingCharacters += value.length;
    register(this.matcher, value);
    for (const oldest of this.passing) {
      if (this.passing.size <= MOST_PASSING && this.passingCharacters <= MOST_PASSING_CHARACTERS) break;
      this.passing.delete(oldest);
      this.passingCharacters -= oldest.length;
      this.dropped++;
    }
    if (this.dropped > MOST_PASSING) this.rebuild();
  }

  /** The text with every registered value replaced. */
  redact(text: string): string {
    return this.matcher.replace(text, REDACTED);
  }

  private rebuild(): void {
    this.matcher = new SecretMatcher();
    this.dropped = 0;
    for (const value of [...this.values, ...this.passing]) register(this.matcher, value);
  }
}

function register(matcher: SecretMatcher, value: string): void {
  const { plain, base64 } = formsOf(value);
  for (const form of plain) matcher.add(form, false);
  for (const form of base64) matcher.add(form, true);
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
