// One part of a caller's message, checked on the raw JSON: the SDK's decoder would take anything.
import type { DataPart, Metadata, TextPart, UrlPart } from '../../../src/a2a-model.js';
import { decodeBase64 } from '../../../src/base64.js';
import { AppError } from '../../../src/errors.js';
import { Fields, invalid } from './fields.js';

/** A file's bytes on their way to the blob store. */
interface BytesPart {
  bytes: Buffer;
  filename?: string;
  mediaType?: string;
  metadata?: Metadata;
}

export type IncomingPart = TextPart | DataPart | UrlPart | BytesPart;

export interface PartRules {
  /** Bytes of one file part. */
  maxPartBytes: number;
  /** Whether the agent takes parts of this media type, for the skill that the message names. */
  accepts(mediaType: string, skill: string | undefined): boolean;
  /** What speaks against fetching a URL, as the end of a sentence about it. */
  urlProblem(url: string): string | undefined;
}

const MAX_URL = 2048;
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
    default: {
      const url = fields.text('url', MAX_URL) as string;
      const problem = rules.urlProblem(url);
      if (problem !== undefined) throw invalid(fields.at('url'), problem);
      return { url, ...attributes };
    }
  }
}

function readBytes(fields: Fields, maxPartBytes: number): Buffer {
  const bytes = decodeBase64(fields.text('raw') as string, maxPartBytes);
  if ('problem' in bytes) throw invalid(fields.at('raw'), bytes.problem);
  return bytes;
}
