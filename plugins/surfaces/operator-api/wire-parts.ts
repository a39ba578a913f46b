// Parts between the wire, where file bytes are base64, and the core, where they are blobs of a scope.
import type { Part } from '../../../src/a2a-model.js';
import { decodeBase64 } from '../../../src/base64.js';
import { AppError } from '../../../src/errors.js';
import type { WirePart } from '../../../src/operator-wire.js';
import type { BlobRef, BlobStore } from '../../../src/workspace/blob-store.js';

function decode(raw: string, field: string, maxPartBytes: number): Buffer {
  const bytes = decodeBase64(raw, maxPartBytes);
  if (!('problem' in bytes)) return bytes;
  const { problem: description } = bytes;
  throw new AppError('invalid-params', `${field} ${description}.`, { violations: [{ field, description }] });
}

/** Stores the bytes of file parts, after all parts proved good. Throws `invalid-params`. */
export function partsFromWire(
  parts: readonly WirePart[],
  options: { put(bytes: Buffer): BlobRef; maxPartBytes: number },
): Part[] {
  const checked = parts.map((part, i) => {
    if (part.url !== undefined) {
      throw new AppError(
        'content-type-not-supported',
        `parts[${i}]: files can't be given as an address; send the bytes.`,
      );
    }
    const { raw, ...rest } = part;
    return { bytes: raw === undefined ? undefined : decode(raw, `parts[${i}].raw`, options.maxPartBytes), rest };
  });
  return checked.map(({ bytes, rest }) => (bytes === undefined ? (rest as Part) : { ...rest, ...options.put(bytes) }));
}

/** Parts with their bytes; a file whose bytes are gone becomes a text that names it. */
export function partsToWire(parts: readonly Part[], blobs: Pick<BlobStore, 'read'>, scope: string): WirePart[] {
  return parts.map((part) => {
    if (!('blob' in part)) return part;
    const { blob, size: _size, ...attributes } = part;
    const bytes = blobs.read(scope, blob);
    return bytes === undefined
      ? { text: `[the bytes of ${part.filename ?? 'a file'} (${blob}) are missing]` }
      : { raw: bytes.toString('base64'), ...attributes };
  });
}
