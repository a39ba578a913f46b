// The secrets that are known at this moment, and any text without them. Bounded for what callers bring.
import { formsOf, MIN_LENGTH } from './secret-forms.js';
import { SecretMatcher } from './secret-matcher.js';

/** What stands in a secret's place. */
export const REDACTED = '[redacted]';

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
