// Typed reading of a request's JSON: camelCase or the proto's snake_case, null as unset, and every refusal names its
// field. Unknown fields are never looked at.
import { AppError } from '../../../src/errors.js';
import { isObject } from '../../../src/read-json.js';

type Json = Record<string, unknown>;

/** An `invalid-params` error about one field. */
export const invalid = (field: string, description: string): AppError =>
  new AppError('invalid-params', `${field} ${description}.`, { violations: [{ field, description }] });

const snakeNames = new Map<string, string>();
/** `historyLength` → `history_length`; remembered, since the names are few and asked for on every request. */
function snake(name: string): string {
  let known = snakeNames.get(name);
  if (known === undefined) {
    known = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    snakeNames.set(name, known);
  }
  return known;
}
const INT32 = 2_147_483_647;
const MOST_ENTRIES = 100;

export class Fields {
  private constructor(
    private readonly json: Json,
    private readonly path: string,
    /** Query strings have text only: `true` and `10` are read as what they mean. */
    private readonly textual: boolean,
  ) {}

  /** Throws `invalid-params` unless `value` is an object. `path` is '' for the request itself. */
  static of(value: unknown, path = ''): Fields {
    if (!isObject(value)) throw invalid(path || 'params', 'must be an object');
    return new Fields(value, path, false);
  }

  static ofQuery(query: object): Fields {
    return new Fields(query as Json, '', true);
  }

  /** The full path of a field, e.g. `message.parts[0].url`. */
  at(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`;
  }

  /** The value as it was sent; undefined for null and absent. */
  raw(name: string): unknown {
    return this.json[name] ?? this.json[snake(name)] ?? undefined;
  }

  /** True when the field was sent, also as null. */
  has(name: string): boolean {
    return Object.hasOwn(this.json, name);
  }

  /** The empty string is the proto's default: it counts as unset. */
  string(name: string, maxLength = 1024): string | undefined {
    return this.text(name, maxLength) || undefined;
  }

  /** Like `string`, but the empty string is a value. */
  text(name: string, maxLength = Infinity): string | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    if (typeof value !== 'string') throw invalid(this.at(name), 'must be a string');
    if (value.length > maxLength) throw invalid(this.at(name), `must not be longer than ${maxLength} characters`);
    return value;
  }

  integer(name: string, least: number, most = INT32): number | undefined {
    let value = this.raw(name);
    if (value === undefined || (this.textual && value === '')) return undefined;
    if (typeof value === 'string' && /^-?\d{1,10}$/.test(value)) value = Number(value);
    if (typeof value !== 'number' || !Number.isInteger(value)) throw invalid(this.at(name), 'must be a whole number');
    if (value < least || value > most) {
      const range = most === INT32 ? `must be at least ${least}` : `must be between ${least} and ${most}`;
      throw invalid(this.at(name), range);
    }
    return value;
  }

  boolean(name: string): boolean | undefined {
    const value = this.raw(name);
    if (value === undefined || typeof value === 'boolean') return value;
    if (this.textual && (value === 'true' || value === 'false')) return value === 'true';
    throw invalid(this.at(name), 'must be true or false');
  }

  strings(name: string): string[] {
    const value = this.raw(name) ?? [];
    if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) {
      throw invalid(this.at(name), 'must be a list of strings');
    }
    if (value.length > MOST_ENTRIES) throw invalid(this.at(name), `must not have more than ${MOST_ENTRIES} entries`);
    return value;
  }

  object(name: string): Json | undefined {
    const value = this.raw(name);
    if (value !== undefined && !isObject(value)) throw invalid(this.at(name), 'must be an object');
    return value;
  }

  child(name: string): Fields | undefined {
    const value = this.object(name);
    return value && new Fields(value, this.at(name), false);
  }
}
