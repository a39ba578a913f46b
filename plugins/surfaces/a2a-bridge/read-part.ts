// One part of a caller's message, checked on the raw JSON: the SDK's decoder would take anything.
import type { DataPart, Metadata, TextPart } from '../../../src/a2a-model.js';
import { AppError } from '../../../src/errors.js';
import { Fields, invalid } from './fields.js';

/** A file's bytes on their way to the blob store. */
export interface BytesPart {
  bytes: Buffer;
  filename?: string;
  mediaType?: string;
  metadata?: Metadata;
}

export type IncomingPart = TextPart | DataPart | BytesPart;

export interface PartRules {
  /** Bytes of one file part. */
  maxPartBytes: number;
  /** Whether the agent takes parts of this media type, for the skill that the message names. */
  accepts(mediaType: string, skill: string | undefined): boolean;
}

const KINDS = ['text', 'raw', 'url'] as const;

/** Throws `invalid-params` for a malformed part and `content-type-not-supported` for one the agent does not take. */
export function readPart(value: unknown, path: string, rules: PartRules, skill?: string): IncomingPart {
  const fields = Fields.of(value, path);
  const kinds: string[] = KINDS.filter((kind) => fields.raw(kind) !== undefined);
  // `data: null` is data; next to another member it is the usual spelling of "unset".
  if (fields.raw('data') !== undefined || (kinds.length === 0 && fields.has('data'))) kinds.push('data');
  if (kinds.length !== 1) throw invalid(path, 'must have exactly one of text, raw, url and data');

  const filename = fields.string('filename');
  const mediaType = fields.string('mediaType', 255);
  const metadata = fields.object('metadata');
  if (mediaType !== undefined && !rules.accepts(mediaType, skill)) {
    throw new AppError('content-type-not-supported', `${fields.at('mediaType')} is not a type this agent accepts.`);
  }
  const attributes = {
    ...(filename !== undefined && { filename }),
    ...(mediaType !== undefined && { mediaType }),
    ...(metadata && { metadata }),
  };
  switch (kinds[0]) {
    case 'text':
      return { text: fields.text('text') as string, ...attributes };
    case 'data':
      return { data: fields.raw('data') ?? null, ...attributes };
    case 'raw':
      return { bytes: readBytes(fields, rules.maxPartBytes), ...attributes };
    default:
      throw new AppError('content-type-not-supported', `${path} is a link; send the file itself as raw.`);
  }
}

const BASE64 = /^[A-Za-z0-9+/_-]*$/;

/** Standard or URL-safe base64, padded or not; nothing else in between. */
function readBytes(fields: Fields, maxPartBytes: number): Buffer {
  const text = fields.text('raw') as string;
  const bare = text.endsWith('==') ? text.slice(0, -2) : text.endsWith('=') ? text.slice(0, -1) : text;
  const padded = bare.length !== text.length;
  if (!BASE64.test(bare) || bare.length % 4 === 1 || (padded && text.length % 4 !== 0)) {
    throw invalid(fields.at('raw'), 'must be base64');
  }
  if (Math.floor((bare.length * 3) / 4) > maxPartBytes) {
    throw invalid(fields.at('raw'), `must not hold more than ${maxPartBytes} bytes`);
  }
  return Buffer.from(bare, 'base64');
}
