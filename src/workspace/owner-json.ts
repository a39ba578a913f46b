// The text of an owner's JSON file as a document: its format version, and the bare array that some write.
// Problems never quote the text, since it may hold keys.
import { isObject, readJson } from '../read-json.js';

/** The format version this code reads and writes. */
export const FILE_VERSION = 1;

export type Document = Record<string, unknown>;

/** `document` is absent when the file is missing (no problem) or can't be used (`problem` says why). */
export interface Reading {
  document?: Document;
  problem?: string;
}

function versionProblem(v: unknown): string | undefined {
  if (v === undefined) return undefined;
  if (typeof v !== 'number' || !Number.isInteger(v) || v < 1) return `has a "v" that is not a version number`;
  if (v > FILE_VERSION) return `has format version ${v}, but this program reads only up to version ${FILE_VERSION}`;
  return undefined;
}

/** A bare array becomes `{[list]: array}`; without `list` it is a problem like any other non-object. */
export function readDocument(text: string, list?: string): Reading {
  const reading = readJson(text);
  if ('fault' in reading) return { problem: `is ${reading.fault}` };
  const { value } = reading;
  if (Array.isArray(value) && list !== undefined) return { document: { [list]: value } };
  if (!isObject(value)) return { problem: `must hold a JSON object${list === undefined ? '' : ' or array'}` };
  const problem = versionProblem(value['v']);
  return problem === undefined ? { document: value } : { problem };
}

/** The text to store: `v` first, everything else as it was. */
export const writeDocument = (document: Document): string =>
  `${JSON.stringify({ v: FILE_VERSION, ...document }, null, 2)}\n`;
