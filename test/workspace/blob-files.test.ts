import { createHash } from 'node:crypto';
import { BlobFiles } from '../../src/workspace/blob-files.js';
import { FakeClock } from '../support/fake-clock.js';
import { FileTree, RecordingDisk } from '../support/recording-disk.js';

function blobs(durability: 'process' | 'power' = 'process') {
  const clock = new FakeClock();
  const folders = new Set(['/', '/one', '/two']);
  const disk = new RecordingDisk(new FileTree(new Map(), new Map(), folders));
  return { disk, clock, files: new BlobFiles({ disk, clock, folderOf: (scope) => `/${scope}`, durability }) };
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
    expect(() => files.put('one', BYTES)).toThrow(
      expect.objectContaining({ code: 'storage-failed', cause: expect.objectContaining({ code: 'ENOSPC' }) }),
    );
    expect(disk.list('/one/blobs')).toEqual([]);
  });

  it('that the disk does not give out are storage that failed, not files that are missing', () => {
    const { disk, files } = blobs();
    files.put('one', BYTES);
    disk.readFile = () => {
      throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' });
    };
    expect(() => files.read('one', NAME)).toThrow(expect.objectContaining({ code: 'storage-failed' }));
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

describe('blobs of a message that may be refused', () => {
  const refused = new Error('refused');
  /** A submission whose end the test decides. */
  function submission(files: BlobFiles, ...parts: Buffer[]) {
    let accept: () => void = () => undefined;
    let refuse: () => void = () => undefined;
    const over = files.tentatively('one', async (put) => {
      for (const bytes of parts) put(bytes);
      await new Promise<void>((resolve, reject) => {
        accept = resolve;
        refuse = () => reject(refused);
      });
    });
    return {
      accept: () => (accept(), over),
      refuse: () => (refuse(), expect(over).rejects.toBe(refused)),
    };
  }

  it('stay when it is accepted', async () => {
    const { files } = blobs();
    await submission(files, BYTES).accept();
    expect(files.read('one', NAME)).toEqual(BYTES);
    // A later one that is refused has not brought them.
    await submission(files, BYTES).refuse();
    expect(files.read('one', NAME)).toEqual(BYTES);
  });

  it('go when it is refused, the same bytes twice too', async () => {
    const { disk, files } = blobs();
    await submission(files, BYTES, BYTES, Buffer.from('more')).refuse();
    expect(disk.list('/one/blobs')).toEqual([]);
  });

  it('go when a later one of them can’t be stored', async () => {
    const { disk, files } = blobs();
    const sending = files.tentatively('one', async (put) => {
      put(BYTES);
      disk.room = 3;
      put(Buffer.from('does not fit'));
    });
    await expect(sending).rejects.toMatchObject({ code: 'storage-failed' });
    expect(disk.list('/one/blobs')).toEqual([]);
  });

  it('stay for another message under way, whichever of the two is over first', async () => {
    for (const [ends, left] of [
      [['refuse', 'refuse'], 0],
      [['refuse', 'accept'], 1],
      [['accept', 'refuse'], 1],
    ] as const) {
      const { disk, files } = blobs();
      const both = [submission(files, BYTES), submission(files, BYTES)];
      for (const [i, end] of ends.entries()) await both[i]?.[end]();
      expect(disk.list('/one/blobs')).toHaveLength(left);
    }
  });

  it('stay when anything else has put the same bytes meanwhile', async () => {
    const { files } = blobs();
    const sending = submission(files, BYTES);
    files.put('one', BYTES);
    await sending.refuse();
    expect(files.read('one', NAME)).toEqual(BYTES);
  });

  it('stay when it only healed a file that was there', async () => {
    const { disk, files } = blobs();
    files.put('one', BYTES);
    disk.write(disk.openEmpty(`/one/blobs/${NAME}`), Buffer.from('damaged'));
    await submission(files, BYTES).refuse();
    expect(files.read('one', NAME)).toEqual(BYTES);
  });

  it('are removed when nothing uses them, but not within a minute of being put', () => {
    const { disk, files, clock } = blobs();
    expect(files.any('one')).toBe(false);
    files.put('one', BYTES);
    clock.advance(59_999);
    expect(files.removeUnused('one', NAME)).toBe(false);
    files.put('one', BYTES);
    clock.advance(59_999);
    expect(files.removeUnused('one', NAME)).toBe(false);
    expect(files.any('one')).toBe(true);
    clock.advance(1);
    expect(files.removeUnused('one', NAME)).toBe(true);
    expect(files.removeUnused('one', NAME)).toBe(true);
    expect(disk.list('/one/blobs')).toEqual([]);
    expect(files.removeUnused('one', '../tasks/t.json')).toBe(true);
  });
});
