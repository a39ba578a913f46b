import { afterEach, describe, expect, it } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../../src/log.js';
import { StorageUse } from '../../src/workspace/storage-use.js';
import { FakeClock } from '../support/fake-clock.js';

const folders: string[] = [];
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })));

function start() {
  const folder = mkdtempSync(join(tmpdir(), 'storage-use-'));
  folders.push(folder);
  const clock = new FakeClock();
  const use = new StorageUse({ folderOf: () => folder, clock, log: silentLogger() });
  const write = (path: string, bytes: number): void => {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), Buffer.alloc(bytes));
  };
  /** The first question only begins to find out. */
  const measured = async (limit: number): Promise<boolean> => {
    use.reaches('demo', limit);
    await use.settled();
    return use.reaches('demo', limit);
  };
  return { folder, clock, use, write, measured };
}

describe('what a scope keeps on disk', () => {
  it('is the bytes of its tasks, journal, transcripts and blobs, and nothing else', async () => {
    const { write, measured, use } = start();
    for (const path of ['tasks/a.json', 'journal/1.jsonl', 'sessions/s.jsonl', 'blobs/x']) write(path, 100);
    write('callers.json', 5_000);
    expect([await measured(400), use.reaches('demo', 401)]).toEqual([true, false]);
  });

  it('is nothing where there is no folder yet', async () => {
    expect(await start().measured(1)).toBe(false);
  });

  it('grows at once with what is written, without looking at the disk', async () => {
    const { measured, use } = start();
    await measured(1_000);
    use.grew('demo', 999);
    expect(use.reaches('demo', 1_000)).toBe(false);
    use.grew('demo', 1);
    expect(use.reaches('demo', 1_000)).toBe(true);
  });

  it('is measured again also after the clock was set back', async () => {
    const { measured, write, folder, clock, use } = start();
    write('blobs/x', 1_000);
    await measured(1_000);
    rmSync(join(folder, 'blobs/x'));
    clock.setBack(86_400_000);
    expect(await measured(1_000)).toBe(false);
    expect(use.reaches('demo', 1_000)).toBe(false);
  });

  it('is measured again when it matters, so that what was freed counts, but not at every question', async () => {
    const { measured, write, folder, clock, use } = start();
    write('blobs/x', 1_000);
    expect(await measured(1_000)).toBe(true);
    rmSync(join(folder, 'blobs/x'));
    use.reaches('demo', 1_000);
    await use.settled();
    expect(use.reaches('demo', 1_000)).toBe(true);
    clock.advance(10_000);
    use.reaches('demo', 1_000);
    await use.settled();
    expect(use.reaches('demo', 1_000)).toBe(false);
  });

  it('keeps what was written while it was measured', async () => {
    const { use } = start();
    use.reaches('demo', 10);
    use.grew('demo', 10);
    await use.settled();
    expect(use.reaches('demo', 10)).toBe(true);
  });
});
