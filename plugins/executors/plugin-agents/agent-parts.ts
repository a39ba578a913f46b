// Parts between an author's function and the core: bytes become stored files on the way in, and can be read on the way out.
import { createHash } from 'node:crypto';
import type { AgentAnswer, AgentArtifact, AgentPart, ReceivedPart } from '../../../src/authoring/agent-definition.js';
import type { Part } from '../../../src/a2a-model.js';
import { RunFailure } from '../../../src/executors/contract.js';
import { RESPONSE_ARTIFACT } from '../../../src/ledger/spoken-answer.js';
import { mediaTypeOf } from '../../../src/media-type.js';
import type { BlobRef, BlobStore } from '../../../src/workspace/blob-store.js';
import { safeFileName } from '../../../src/workspace/safe-file-name.js';

export type PutBytes = (bytes: Uint8Array, mediaType: string) => BlobRef;

/** The parts of an answer. Throws an Error for what is none. */
export function partsOf(answer: AgentAnswer | void, put: PutBytes): Part[] {
  if (answer === undefined) return [];
  if (typeof answer === 'string') return answer === '' ? [] : [{ text: answer }];
  if (!Array.isArray(answer)) throw new Error('it must return a text or a list of parts');
  return Array.from(answer, (part) => partOf(part, put));
}

function partOf(part: AgentPart, put: PutBytes): Part {
  if (typeof part === 'object' && part !== null) {
    if ('text' in part && typeof part.text === 'string') return { text: part.text };
    if ('data' in part && part.data !== undefined) return { data: plainData(part.data) };
    if ('url' in part && typeof part.url === 'string') return { url: part.url, ...described(part) };
    if ('bytes' in part && part.bytes instanceof Uint8Array) return filePart(part, put);
  }
  throw new Error('a part must hold a text, data, a url or bytes');
}

function filePart(file: { bytes: Uint8Array; filename?: string; mediaType?: string }, put: PutBytes): Part {
  const given = described(file);
  const filename = given.filename === undefined ? undefined : safeFileName(given.filename);
  const mediaType = given.mediaType ?? mediaTypeOf(filename ?? '');
  return { ...put(file.bytes, mediaType), mediaType, ...(filename !== undefined && { filename }) };
}

/** What is said about a file. Authors in JavaScript have no compiler to tell them. */
function described({ filename, mediaType }: { filename?: unknown; mediaType?: unknown }) {
  if (filename !== undefined && typeof filename !== 'string') throw new Error('a filename must be a text');
  if (mediaType !== undefined && !(typeof mediaType === 'string' && MEDIA_TYPE.test(mediaType))) {
    throw new Error('a mediaType must look like text/plain');
  }
  return {
    ...(filename !== undefined && { filename: shortName(filename) }),
    ...(mediaType !== undefined && { mediaType }),
  };
}

/** Characters of a name; a longer one is shortened as the names of files are, since agents take them from anywhere. */
const MOST_OF_A_NAME = 256;
const isShort = (name: string): boolean => name.length > 0 && name.length <= MOST_OF_A_NAME;
const shortName = (name: string): string => (isShort(name) ? name : safeFileName(name));
/** With parameters, if any: what a header may hold. */
const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+[ -~]*$/;

/** The copy that is stored: nothing that the author changes later is shown. */
export function plainData(data: unknown, what = 'data'): unknown {
  try {
    const text = JSON.stringify(data) as string | undefined;
    if (text !== undefined) return JSON.parse(text) as unknown;
  } catch {
    // It can't be written down.
  }
  throw new Error(`${what} must be plain JSON`);
}

/** The artifact of that name. Its id follows from the name, so that a run that is repeated replaces it. */
export function artifactOf(artifact: AgentArtifact, put: PutBytes) {
  if (typeof artifact !== 'object' || artifact === null) throw new Error('an artifact must be an object');
  const { name, description } = artifact;
  if (typeof name !== 'string' || name === '') throw new Error('an artifact must have a name');
  if (description !== undefined && typeof description !== 'string') throw new Error('a description must be a text');
  return {
    artifactId: idOf(name),
    name: shortName(name),
    ...(description !== undefined && { description }),
    parts: [artifactPart(artifact, put)],
  };
}

/** Names that look the same once they are shortened stay apart. */
function idOf(name: string): string {
  if (name === RESPONSE_ARTIFACT) return `file-${name}`;
  return isShort(name) ? name : `file-${createHash('sha256').update(name).digest('hex').slice(0, 32)}`;
}

function artifactPart(artifact: AgentArtifact, put: PutBytes): Part {
  if ('data' in artifact) return partOf({ data: artifact.data }, put);
  const { name: filename, mediaType } = artifact;
  const file = { filename, ...(mediaType !== undefined && { mediaType }) };
  if ('url' in artifact) return partOf({ url: artifact.url, ...file }, put);
  if ('bytes' in artifact) return partOf({ bytes: artifact.bytes, ...file }, put);
  if (typeof artifact.text !== 'string') throw new Error('an artifact must hold a text, data, a url or bytes');
  return partOf({ bytes: Buffer.from(artifact.text), ...file }, put);
}

/** Copies: what an author does to them changes no task. */
export const receivedParts = (parts: readonly Part[], blobs: Pick<BlobStore, 'read'>, scope: string): ReceivedPart[] =>
  parts.map((part) => ('blob' in part ? storedFile(part, blobs, scope) : structuredClone(part)));

function storedFile(
  { blob, size, filename, mediaType }: Extract<Part, { blob: string }>,
  blobs: Pick<BlobStore, 'read'>,
  scope: string,
): ReceivedPart {
  return {
    size,
    ...(filename !== undefined && { filename }),
    ...(mediaType !== undefined && { mediaType }),
    bytes: () => {
      const bytes = blobs.read(scope, blob);
      if (bytes) return bytes;
      throw new RunFailure(`The file ${filename ?? 'without a name'} is not stored any more.`, 'file-missing');
    },
  };
}
