import { AppError } from '../../../src/errors.js';
import type { WirePart } from '../../../src/operator-wire.js';
import { partsFromWire, partsToWire } from '../../../plugins/surfaces/operator-api/wire-parts.js';

class Blobs {
  readonly stored = new Map<string, Buffer>();
  put(scope: string, bytes: Uint8Array) {
    const blob = `sha-of-${bytes.length}`;
    this.stored.set(`${scope}/${blob}`, Buffer.from(bytes));
    return { blob, size: bytes.length };
  }
  read(scope: string, blob: string) {
    return this.stored.get(`${scope}/${blob}`);
  }
}

const options = (blobs: Blobs, maxPartBytes = 100) => ({
  put: (bytes: Buffer) => blobs.put('operator', bytes),
  maxPartBytes,
});

describe('parts on the wire', () => {
  it('come back as they were sent', () => {
    const blobs = new Blobs();
    const sent: WirePart[] = [
      { text: 'hi', metadata: { a: 1 } },
      { data: null },
      { raw: Buffer.from([0, 255, 7]).toString('base64'), filename: 'a.bin', mediaType: 'application/x' },
    ];
    const stored = partsFromWire(sent, options(blobs));
    expect(stored[2]).toEqual({ blob: 'sha-of-3', size: 3, filename: 'a.bin', mediaType: 'application/x' });
    expect(partsToWire(stored, blobs, 'operator')).toEqual(sent);
  });

  it.each(['', 'AA==', 'AAA', '-_8', 'AP8H'])('take %j as base64', (raw) => {
    expect(() => partsFromWire([{ raw }], options(new Blobs()))).not.toThrow();
  });

  it.each(['A', 'AAAAA', '@@@@', 'AA\nAA', 'A=AA', 'AAAA===', '+-AA'])('refuse %j as base64', (raw) => {
    expect(() => partsFromWire([{ raw }], options(new Blobs()))).toThrow(AppError);
  });

  it('store nothing when one of them is refused', () => {
    const blobs = new Blobs();
    const parts = [{ raw: 'AAAA' }, { raw: 'AAAAAAAA' }];
    expect(() => partsFromWire(parts, options(blobs, 3))).toThrow('parts[1].raw must hold at most 3 bytes');
    expect(blobs.stored.size).toBe(0);
  });

  it('refuse files by address', () => {
    expect(() => partsFromWire([{ url: 'https://a.example/x' }], options(new Blobs()))).toThrow(
      expect.objectContaining({ code: 'content-type-not-supported' }),
    );
  });

  it('name a file whose bytes are gone', () => {
    const [part] = partsToWire([{ blob: 'abc', size: 1, filename: 'a.txt' }], new Blobs(), 'operator');
    expect(part).toEqual({ text: '[the bytes of a.txt (abc) are missing]' });
  });
});
