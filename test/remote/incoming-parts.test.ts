// What a remote agent sends, as it is kept here.
import { describe, expect, test } from '@jest/globals';
import { AppError } from '../../src/errors.js';
import { keepParts, type KeepPorts } from '../../src/remote/incoming-parts.js';
import { RemoteError } from '../../src/remote/remote-error.js';

const ports = (changes: Partial<KeepPorts> = {}): KeepPorts => ({
  blobs: { put: (_scope, bytes) => ({ blob: 'b', size: bytes.byteLength }) },
  scope: 'demo',
  peer: { download: async () => ({ bytes: Buffer.from('linked'), mediaType: 'text/plain' }) },
  agentUrl: 'https://far.example/agent',
  maxBytes: 10,
  ...changes,
});
const link = { url: 'https://far.example/files/1', filename: 'one.txt' };

describe('parts of a remote agent', () => {
  test('are kept with their bytes, those behind links to its own origin too', async () => {
    const foreign = { url: 'https://elsewhere.example/x' };
    const parts = [{ text: 'hi' }, { bytes: Buffer.from('abc') }, link, foreign];
    expect(await keepParts(parts, ports())).toEqual([
      { text: 'hi' },
      { blob: 'b', size: 3 },
      { blob: 'b', size: 6, filename: 'one.txt', mediaType: 'text/plain' },
      foreign,
    ]);
  });

  test('that are too large or can not be had become words that say so', async () => {
    const gone = { download: () => Promise.reject(new RemoteError('refused', 'far has no such file')) };
    const [large, missing] = await keepParts([{ bytes: Buffer.alloc(11) }, link], ports({ peer: gone }));
    expect(large).toEqual({ text: expect.stringContaining('larger than 10 bytes') });
    expect(missing).toEqual({ text: expect.stringMatching(/"one\.txt" .* far has no such file/) });
  });

  test('that this side can not store fail, and no reason of this side becomes part of an answer', async () => {
    const full = (): never => {
      throw new AppError('storage-failed', 'no space at /secret/place');
    };
    await expect(keepParts([link], ports({ blobs: { put: full } }))).rejects.toThrow('no space');
  });
});
