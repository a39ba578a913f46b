// JSON texts as editors and programs leave them, a byte order mark included. What is wrong is told by its place and never
// by quoting the text, which may hold a key.
import { jsonFault } from './json-fault.js';

/** Some editors put one in front of every file. */
export const withoutByteOrderMark = (text: string): string => (text.startsWith('\uFEFF') ? text.slice(1) : text);

/** True for a JSON object: neither null nor a list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value; undefined for what is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(withoutByteOrderMark(text));
  } catch {
    return undefined;
  }
}

/** The value, or the `fault`, which continues "it is …". */
export function readJson(text: string): { value: unknown } | { fault: string } {
  const value = parseJson(text);
  if (value !== undefined) return { value };
  const place = jsonFault(withoutByteOrderMark(text));
  return { fault: `not valid JSON${place ? ` at line ${place.line}, column ${place.column}` : ''}` };
}
