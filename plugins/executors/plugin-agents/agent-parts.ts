// Parts between an author's function and the core: bytes become stored files on the way in, and can be read on the way out.
import type { AgentAnswer, AgentArtifact, AgentPart, ReceivedPart } from '../../../src/authoring/agent-definition.js';
import type { Part } from '../../../src/a2a-model.js';
import { RunFailure } from '../../../src/executors/contract.js';
import { RESPONSE_ARTIFACT } from '../../../src/ledger/task-reducer.js';
import { mediaTypeOf } from '../../../src/media-type.js';
import type { BlobRef, BlobStore } from '../../../src/workspace/blob-store.js';
import { safeFileName } from '../../../src/workspace/safe-file-name.js';

export type PutBytes = (bytes: Uint8Array) => BlobRef;

/** The parts of an answer. Throws an Error for what is none. */
export function partsOf(answer: AgentAnswer | void, put: PutBytes): Part[] {
  if (answer === undefined) return [];
  if (typeof answer === 'string') return answer === '' ? [] : [{ text: answer }];
  if (!Array.isArray(answer)) throw new Error('it must return a text or a list of parts');
  return answer.map((part) => partOf(part, put));
}

function partOf(part: AgentPart, put: PutBytes): Part {
  if (typeof part === 'object' && part !== null) {
    if ('text' in part && typeof part.text === 'string') return { text: part.text };
    if ('data' in part && part.data !== undefined) return { data: part.data };
    if ('url' in part && typeof part.url === 'string') return { url: part.url, ...labels(part) };
    if ('bytes' in part && part.bytes instanceof Uint8Array) return filePart(part, put);
  }
  throw new Error('a part must hold a text, data, a url or bytes');
}

function filePart(file: Labels & { bytes: Uint8Array }, put: PutBytes): Part {
  const given = labels(file);
  const filename = given.filename === undefined ? undefined : safeFileName(given.filename);
  const mediaType = given.mediaType ?? mediaTypeOf(filename ?? '');
  return { ...put(file.bytes), mediaType, ...(filename !== undefined && { filename }) };
}

interface Labels {
  filename?: string;
  mediaType?: string;
}

/** What a file is called, and nothing else that its author may have left in the object. */
function labels({ filename, mediaType }: Labels): Labels {
  for (const [member, value] of Object.entries({ filename, mediaType })) {
    if (value !== undefined && typeof value !== 'string') throw new Error(`the ${member} of a part must be a text`);
  }
  return { ...(filename !== undefined && { filename }), ...(mediaType !== undefined && { mediaType }) };
}

/** The artifact of that name. Its id follows from the name, so that a run that is repeated replaces it. */
export function artifactOf(artifact: AgentArtifact, put: PutBytes) {
  const { name, description } = artifact;
  if (typeof name !== 'string' || name === '') throw new Error('an artifact needs a name');
  if (!['undefined', 'string'].includes(typeof description))
    throw new Error(`the description of ${name} must be a text`);
  return {
    artifactId: name === RESPONSE_ARTIFACT ? `file-${name}` : name,
    name,
    ...(description !== undefined && { description }),
    parts: [artifactPart(artifact, put)],
  };
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
