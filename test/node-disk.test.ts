import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failpoints } from '../src/failpoints.js';
import { NodeDisk } from '../src/node-disk.js';

describe('the disk', () => {
  const disk = new NodeDisk(new Failpoints());
  let dir: string;
  beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'disk-'))));
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);

  it('writes what only its owner may read, in folders that only its owner may enter', async () => {
    const path = join(dir, 'a', 'b', 'file.json');
    disk.writeFileAtomic(path, 'content', { sync: 'all' });
    expect(readFileSync(path, 'utf8')).toBe('content');
    const fd = disk.createNew(join(dir, 'a', 'new'));
    disk.close(fd);
    disk.close(disk.openAppend(join(dir, 'a', 'log')));
    expect([mode(path), mode(join(dir, 'a', 'new')), mode(join(dir, 'a', 'log'))]).toEqual(['600', '600', '600']);
    expect([mode(join(dir, 'a')), mode(join(dir, 'a', 'b'))]).toEqual(['700', '700']);
    expect(readdirSync(join(dir, 'a', 'b'))).toEqual(['file.json']);
    await disk.syncFolderAndAbove(join(dir, 'a', 'b'));
  });

  it('gives a file the mode that is asked for', () => {
    disk.writeFileAtomic(join(dir, 'file'), 'x', { mode: 0o640 });
    expect(mode(join(dir, 'file'))).toBe('640');
  });

  it('appends, syncs and truncates', async () => {
    const path = join(dir, 'log');
    const fd = disk.createNew(path);
    disk.write(fd, Buffer.from('one\n'));
    disk.write(fd, Buffer.from('two\n'));
    await disk.sync(fd);
    disk.syncNow(fd);
    disk.truncateFile(path, 4);
    disk.write(fd, Buffer.from('three\n'));
    disk.close(fd);
    await disk.syncFile(path);
    disk.syncPathNow(path);
    expect(disk.readText(path)).toBe('one\nthree\n');
    expect(disk.size(path)).toBe(10);
    expect(() => disk.createNew(path)).toThrow(/EEXIST/);
  });

  it('answers for what is missing instead of throwing', async () => {
    const path = join(dir, 'missing');
    expect(disk.readFile(path)).toBeUndefined();
    expect(disk.readText(path)).toBeUndefined();
    expect(disk.size(path)).toBeUndefined();
    expect(disk.list(path)).toEqual([]);
    disk.unlink(path);
    await disk.syncFile(path);
    await expect(disk.sync(-1)).rejects.toThrow();
  });

  it('throws what is wrong with a file that is there', () => {
    writeFileSync(join(dir, 'file'), 'x');
    expect(() => disk.readFile(dir)).toThrow(/EISDIR/);
    expect(() => disk.list(join(dir, 'file'))).toThrow(/ENOTDIR/);
  });

  it('leaves the old content and no leftover when an atomic write can not finish', () => {
    const folder = join(dir, 'folder');
    disk.mkdirp(join(folder, 'inside'));
    expect(() => disk.writeFileAtomic(folder, 'x')).toThrow();
    expect(readdirSync(dir)).toEqual(['folder']);
  });
});
