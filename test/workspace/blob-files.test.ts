import { createHash } from 'node:crypto';
import { BlobFiles } from '../../src/workspace/blob-files.js';
import { FileTree, RecordingDisk } from '../support/recording-disk.js';

function blobs(durability: 'process' | 'power' = 'process') {
  const folders = new Set(['/', '/one', '/two']);
  const disk = new RecordingDisk(new FileTree(new Map(), new Map(), folders));
  return { disk, files: new BlobFiles({ disk, folderOf: (scope) => `/${scope}`, durability }) };
}
const BYTES = Buffer.from('some bytes');
const NAME = createHash('sha256').update(BYTES).digest('hex');

describe('blobs', () => {
  it('are stored once per scope under the hash of their content', () => {
    const { disk, files } = blobs();
    expect(files.put('one', BYTES)).toEqual({ blob: NAME, size: BYTES.length });
    const writes = disk.ops.length;
    files.put('one', new Uint8Array(BYTES));
    expect(disk.ops.length).toBe(writes);
    expect(disk.list('/one/blobs')).toEqual([NAME]);
    expect(files.read('one', NAME)).toEqual(BYTES);
    expect(files.read('two', NAME)).toBeUndefined();
  });

  it('hold no bytes at all, too', () => {
    const { files } = blobs();
    const { blob } = files.put('one', new Uint8Array(0));
    expect(files.read('one', blob)).toEqual(Buffer.alloc(0));
  });

  it('store only the view of a larger buffer', () => {
    const { files } = blobs();
    const { blob } = files.put('one', Buffer.from('xxsome bytesxx').subarray(2, 12));
    expect(blob).toBe(NAME);
    expect(files.read('one', NAME)).toEqual(BYTES);
  });

  it('are not found by a name that is no hash', () => {
    const { files } = blobs();
    files.put('one', BYTES);
    for (const name of ['', '../x', NAME.toUpperCase(), `${NAME}0`, `${NAME.slice(1)}/`]) {
      expect(files.read('one', name)).toBeUndefined();
    }
  });

  it('that no longer match their name are not returned, and storing them again heals them', () => {
    const { disk, files } = blobs();
    files.put('one', BYTES);
    disk.write(disk.openEmpty(`/one/blobs/${NAME}`), Buffer.from('some bytex'));
    expect(files.read('one', NAME)).toBeUndefined();
    files.put('one', BYTES);
    expect(files.read('one', NAME)).toEqual(BYTES);
  });

  it('leave nothing behind when the disk is full', () => {
    const { disk, files } = blobs();
    disk.room = 3;
    expect(() => files.put('one', BYTES)).toThrow(/ENOSPC/);
    expect(disk.list('/one/blobs')).toEqual([]);
  });

  it('are on the medium before put returns with durability power', () => {
    const { disk, files } = blobs('power');
    files.put('one', BYTES);
    const kinds = disk.ops.map((op) => op.kind);
    expect(kinds.slice(-3)).toEqual(['sync', 'rename', 'syncFolder']);
    // One that is there already may come from a process that died before its sync.
    files.put('one', BYTES);
    expect(disk.ops.slice(kinds.length).map((op) => op.kind)).toEqual(['sync', 'syncFolder']);
  });
});
