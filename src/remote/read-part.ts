// A peer's part in whatever spelling it came: 1.0, both bindings of 0.3, and what sits between. What can't be read is
// named, never dropped in silence. Pure.
import { WRAPPED } from '../a2a-v0-3/legacy-part.js';
import { decodeBase64 } from '../base64.js';
import { isObject } from '../read-json.js';
import type { RemotePart } from './remote-port.js';

type Json = Record<string, unknown>;

/** Collects what could not be read, one line each. */
export class Unread {
  readonly lines: string[] = [];
  private static readonly MOST = 50;

  add(line: string): void {
    if (this.lines.length < Unread.MOST && !this.lines.includes(line)) this.lines.push(line);
  }
}

/** `doubleData`: the 0.3 REST binding wraps data once more. */
export function readParts(raw: unknown, unread: Unread, doubleData = false): RemotePart[] {
  if (raw === undefined || raw === null) return [];
  if (!Array.isArray(raw)) {
    unread.add('parts that are no list');
    return [];
  }
  return raw.flatMap((part) => readPart(part, unread, doubleData) ?? []);
}

function readPart(raw: unknown, unread: Unread, doubleData: boolean): RemotePart | undefined {
  if (!isObject(raw)) {
    unread.add('a part that is no object');
    return undefined;
  }
  const part = isObject(raw['root']) && Object.keys(raw).length === 1 ? raw['root'] : raw;
  const extra = metadataOf(part);
  if (typeof part['text'] === 'string') return { text: part['text'], ...attributes(part), ...extra };
  if (isObject(part['file'])) return readFile(part['file'], part, unread);
  if (part['raw'] !== undefined) return readBytes(part['raw'], { ...attributes(part), ...extra }, unread);
  if (typeof part['url'] === 'string') return { url: part['url'], ...attributes(part), ...extra };
  if ('data' in part) return readData(part, doubleData);
  const kind = part['kind'] ?? part['type'];
  const what = typeof kind === 'string' ? `kind "${kind.slice(0, 40)}"` : `members ${members(part)}`;
  unread.add(`a part of ${what}`);
  return undefined;
}

/** `bytes` and `uri` over JSON-RPC, `fileWithBytes` and `fileWithUri` over REST. */
function readFile(file: Json, part: Json, unread: Unread): RemotePart | undefined {
  const named = { ...named03(file), ...attributes(file), ...metadataOf(part) };
  const bytes = file['bytes'] ?? file['fileWithBytes'];
  if (bytes !== undefined && bytes !== null) return readBytes(bytes, named, unread);
  const uri = file['uri'] ?? file['fileWithUri'];
  if (typeof uri === 'string') return { url: uri, ...named };
  unread.add('a file without bytes or address');
  return undefined;
}

function readBytes(value: unknown, named: Omit<Json, 'bytes'>, unread: Unread): RemotePart | undefined {
  const bytes = typeof value === 'string' ? decodeBase64(value.replace(/\s+/g, ''), Infinity) : undefined;
  if (Buffer.isBuffer(bytes)) return { bytes, ...named };
  unread.add('a file whose bytes are no base64');
  return undefined;
}

function readData(part: Json, doubleData: boolean): RemotePart {
  const { metadata, ...rest } = metadataOf(part);
  let data = part['data'];
  if (doubleData && part['kind'] === undefined && isObject(data) && 'data' in data) data = data['data'];
  if (metadata?.[WRAPPED] !== true) return { data, ...attributes(part), ...(metadata && { metadata }), ...rest };
  const { [WRAPPED]: _marked, ...others } = metadata;
  const value = isObject(data) && 'value' in data ? data['value'] : data;
  return { data: value, ...attributes(part), ...(Object.keys(others).length > 0 && { metadata: others }) };
}

const attributes = (part: Json): { filename?: string; mediaType?: string } => ({
  ...(isText(part['filename']) && { filename: part['filename'] }),
  ...(isText(part['mediaType']) && { mediaType: part['mediaType'] }),
});

const named03 = (file: Json): { filename?: string; mediaType?: string } => ({
  ...(isText(file['name']) && { filename: file['name'] }),
  ...(isText(file['mimeType']) && { mediaType: file['mimeType'] }),
});

export const metadataOf = (holder: Json): { metadata?: Json } =>
  isObject(holder['metadata']) && Object.keys(holder['metadata']).length > 0 ? { metadata: holder['metadata'] } : {};

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

const members = (part: Json): string => {
  const names = Object.keys(part).map((name) => name.slice(0, 40));
  return names.length === 0 ? 'none' : names.slice(0, 5).join(', ');
};
