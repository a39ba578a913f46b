// Strict JSON: what JSON.parse would change in silence (big integers, repeated keys, bad UTF-8) is refused, and depth is
// bounded before anything recursive sees the value. One linear pass, then JSON.parse.
import { isUtf8 } from 'node:buffer';
import { AppError } from './errors.js';

/** Objects and arrays inside each other, the outermost counting as 1. */
export const MAX_DEPTH = 64;

interface StrictJson {
  value: unknown;
  /** Why the value, though well-formed, must be refused. `value` is then only good for finding a request's id. */
  refusal?: AppError;
}

/** Parses bytes. Throws AppError `parse-error` for what is no JSON, `invalid-request` for what is nested too deep. */
export function parseStrict(bytes: Buffer): StrictJson {
  if (!isUtf8(bytes)) throw new AppError('parse-error', 'The body is not valid UTF-8.');
  const text = bytes.toString('utf8');
  const findings = scan(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new AppError('parse-error', 'The body is not valid JSON.');
  }
  if (findings.proto) dropProtoKeys(value);
  return { value, refusal: findings.refusal };
}

interface Findings {
  refusal?: AppError;
  proto: boolean;
}

const QUOTE = 34;
const COMMA = 44;
const MINUS = 45;
const ZERO = 48;
const NINE = 57;
const OPEN_LIST = 91;
const BACKSLASH = 92;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/** Looks at every token once. Lenient about syntax: JSON.parse decides on that afterwards. */
function scan(text: string): Findings {
  const findings: Findings = { proto: false };
  // One entry per open container: the keys seen so far, or undefined for an array.
  const open: (Set<string> | undefined)[] = [];
  let keyExpected = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) {
      const end = closingQuote(text, i);
      const keys = open[open.length - 1];
      if (keyExpected && keys) noteKey(text.slice(i + 1, end), keys, findings);
      keyExpected = false;
      i = end;
    } else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      open.push(code === OPEN_OBJECT ? new Set() : undefined);
      if (open.length > MAX_DEPTH) {
        throw new AppError('invalid-request', `The body is nested deeper than ${MAX_DEPTH} levels.`);
      }
      keyExpected = code === OPEN_OBJECT;
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      open.pop();
      keyExpected = false;
    } else if (code === COMMA) {
      keyExpected = open[open.length - 1] !== undefined;
    } else if (code === MINUS || (code >= ZERO && code <= NINE)) {
      const end = numberEnd(text, i);
      findings.refusal ??= numberRefusal(text.slice(i, end));
      i = end - 1;
    }
  }
  return findings;
}

/** Index of the quote that closes the string opened at `start`; the text's length when there is none. */
function closingQuote(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}

function noteKey(raw: string, keys: Set<string>, findings: Findings): void {
  let key = raw;
  if (raw.includes('\\')) {
    try {
      key = JSON.parse(`"${raw}"`) as string;
    } catch {
      return; // a bad escape: JSON.parse of the whole refuses it
    }
  }
  if (key === '__proto__') findings.proto = true;
  if (keys.has(key)) {
    const shown = key.length > 60 ? `${key.slice(0, 60)}…` : key;
    findings.refusal ??= new AppError(
      'invalid-params',
      `The key ${JSON.stringify(shown)} is given twice in one object.`,
    );
  }
  keys.add(key);
}

function numberEnd(text: string, start: number): number {
  let end = start + 1;
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end);
    // Digits, signs, the point and the exponent's letter.
    if (!((code >= ZERO && code <= NINE) || code === 46 || code === 43 || code === MINUS || (code | 32) === 101)) break;
  }
  return end;
}

/** Up to 15 digits are always exact. An exponent says that the sender thinks in floating point already. */
function numberRefusal(token: string): AppError | undefined {
  if (token.length <= 15 && !/e/i.test(token)) return undefined;
  const value = Number(token);
  if (Number.isNaN(value)) return undefined; // no number: JSON.parse refuses it
  if (!Number.isFinite(value)) return new AppError('invalid-params', 'A number is too large to be represented.');
  if (Number.isInteger(value) && !Number.isSafeInteger(value) && !/e/i.test(token)) {
    return new AppError(
      'invalid-params',
      'An integer lies beyond ±9007199254740991 and would change in silence; send it as a string.',
    );
  }
  return undefined;
}

/** A `__proto__` key means nothing in this protocol and turns dangerous as soon as somebody copies the object. */
function dropProtoKeys(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (Object.hasOwn(value, '__proto__')) delete (value as Record<string, unknown>)['__proto__'];
  for (const child of Object.values(value)) dropProtoKeys(child);
}
