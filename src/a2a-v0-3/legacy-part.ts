// A part as the two bindings of 0.3 wrote it. They had no filename or media type but on files, and data was an object:
// anything else is wrapped in one and marked.
import { isObject } from '../read-json.js';
import type { Json, WirePart } from './wire.js';

/** Marks a data part whose value was no object and had to be wrapped in one. */
export const WRAPPED = 'data_part_compat';

/** `{kind: "text" | "file" | "data", …}`. */
export function legacyRpcPart(part: WirePart): Json {
  if (part.text !== undefined) return { kind: 'text', text: part.text, ...metadataOf(part) };
  if (part.raw !== undefined)
    return { kind: 'file', file: { bytes: part.raw, ...attributes(part) }, ...metadataOf(part) };
  if (part.url !== undefined)
    return { kind: 'file', file: { uri: part.url, ...attributes(part) }, ...metadataOf(part) };
  const { data, metadata } = wrapped(part);
  return { kind: 'data', data, ...(metadata && { metadata }) };
}

/** ProtoJSON of the old schema: one of `text`, `file`, `data`. */
export function legacyRestPart(part: WirePart): Json {
  if (part.text !== undefined) return { text: part.text, ...metadataOf(part) };
  if (part.raw !== undefined) return { file: { fileWithBytes: part.raw, ...attributes(part) }, ...metadataOf(part) };
  if (part.url !== undefined) return { file: { fileWithUri: part.url, ...attributes(part) }, ...metadataOf(part) };
  const { data, metadata } = wrapped(part);
  return { data: { data }, ...(metadata && { metadata }) };
}

const metadataOf = ({ metadata }: WirePart): Json => (metadata ? { metadata } : {});

const attributes = ({ mediaType, filename }: WirePart): Json => ({
  ...(mediaType && { mimeType: mediaType }),
  ...(filename && { name: filename }),
});

function wrapped({ data, metadata }: WirePart): { data: unknown; metadata?: Json } {
  if (isObject(data)) return { data, metadata };
  return { data: { value: data }, metadata: { ...metadata, [WRAPPED]: true } };
}
