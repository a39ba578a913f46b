import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { withFileLock } from '../../src/workspace/file-lock.js';
import type { Document } from '../../src/workspace/owner-json.js';
import { rewriteOwnerFile } from '../../src/workspace/rewrite-owner-file.js';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-rewrite-'));
  path = join(folder, 'file.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const stored = (): unknown => JSON.parse(readFileSync(path, 'utf8'));
const append = (document: Document, item: unknown): void => {
  const items = (document['items'] ??= []) as unknown[];
  items.push(item);
};
const lockOf = (pid: number, host = hostname()): string => `${pid} ${host} somebody\n`;

describe('a rewrite', () => {
  test('makes the file and its folder, readable by the owner alone, with a version', async () => {
    path = join(folder, '.a2a', 'file.json');
    await rewriteOwnerFile(path, (document) => append(document, 1));
    expect(stored()).toEqual({ v: 1, items: [1] });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, '.a2a'))).toEqual(['file.json']);
  });

  test('says that it could not be stored when the disk does not take it, and leaves the file as it was', async () => {
    writeFileSync(path, '{"a":1}');
    const full = Object.assign(new Error('no space left'), { code: 'ENOSPC', syscall: 'write' });
    const beforeRename = (): never => {
      throw full;
    };
    await expect(rewriteOwnerFile(path, () => {}, { beforeRename })).rejects.toMatchObject({
      code: 'storage-failed',
      message: 'file.json could not be stored (ENOSPC).',
    });
    expect([readdirSync(folder), readFileSync(path, 'utf8')]).toEqual([['file.json'], '{"a":1}']);
  });

  test('does not bring back a folder above that is gone', async () => {
    await expect(rewriteOwnerFile(join(folder, 'gone', '.a2a', 'file.json'), () => {})).rejects.toThrow(/ENOENT/);
    expect(existsSync(join(folder, 'gone'))).toBe(false);
  });

  test('keeps what it does not know, at every level and in order', async () => {
    writeFileSync(path, '\uFEFF{"zeta":{"a":[{"deep":null}]},"items":[{"own":true}],"__proto__":{"x":1}}');
    await rewriteOwnerFile(path, (document) => append(document, 2));
    expect(readFileSync(path, 'utf8').replaceAll(/\s/g, '')).toBe(
      '{"v":1,"zeta":{"a":[{"deep":null}]},"items":[{"own":true},2],"__proto__":{"x":1}}',
    );
  });

  test('turns a bare array into the object form', async () => {
    writeFileSync(path, '[{"name":"a","own":1}]');
    await rewriteOwnerFile(path, (document) => append(document, 'b'), { list: 'items' });
    expect(stored()).toEqual({ v: 1, items: [{ name: 'a', own: 1 }, 'b'] });
  });

  test.each(['{', '{"v":2}', 'null', ''])('leaves alone what it can not read: %j', async (text) => {
    writeFileSync(path, text);
    await expect(rewriteOwnerFile(path, () => {})).rejects.toMatchObject({ code: 'config' });
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  test('changes nothing when the change throws, and frees the lock', async () => {
    writeFileSync(path, '{"a":1}');
    const refuse = (): never => {
      throw new Error('no');
    };
    await expect(rewriteOwnerFile(path, refuse)).rejects.toThrow('no');
    expect(readFileSync(path, 'utf8')).toBe('{"a":1}');
    expect(readdirSync(folder)).toEqual(['file.json']);
  });

  test('writes through a link and leaves the link', async () => {
    const real = join(folder, 'real.json');
    writeFileSync(real, '{"items":[]}');
    symlinkSync(real, path);
    await rewriteOwnerFile(path, (document) => append(document, 1));
    expect(JSON.parse(readFileSync(real, 'utf8'))).toEqual({ v: 1, items: [1] });
  });

  test('tells when the new content is in place', async () => {
    const seen: unknown[] = [];
    await rewriteOwnerFile(path, (document) => append(document, 1), { afterRename: () => seen.push(stored()) });
    expect(seen).toEqual([{ v: 1, items: [1] }]);
  });
});

describe('several writers', () => {
  test('of one process lose nothing', async () => {
    const numbers = Array.from({ length: 40 }, (_, at) => at);
    await Promise.all(numbers.map((at) => rewriteOwnerFile(path, (document) => append(document, at))));
    expect(stored()).toEqual({ v: 1, items: numbers });
  });

  test('of several processes lose nothing', async () => {
    const source = pathToFileURL(join(process.cwd(), 'src/workspace/rewrite-owner-file.ts')).href;
    const code = `
      const { rewriteOwnerFile } = await import(${JSON.stringify(source)});
      for (let at = 0; at < 15; at += 1)
        await rewriteOwnerFile(${JSON.stringify(path)}, (document) => void (document.items ??= []).push(process.pid));`;
    const writers = [1, 2, 3].map(() =>
      spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', code], {
        stdio: ['ignore', 'ignore', 'inherit'],
      }),
    );
    const codes = await Promise.all(writers.map(async (writer) => (await once(writer, 'exit'))[0] as number));
    expect(codes).toEqual([0, 0, 0]);
    const { items } = stored() as { items: number[] };
    for (const { pid } of writers) expect(items.filter((item) => item === pid)).toHaveLength(15);
    expect(readdirSync(folder)).toEqual(['file.json']);
  });

  test('wait for a living process, and go on when it is done', async () => {
    writeFileSync(`${path}.lock`, lockOf(process.ppid));
    const writing = rewriteOwnerFile(path, (document) => append(document, 1));
    await new Promise((resolve) => setImmediate(resolve));
    expect(existsSync(path)).toBe(false);
    rmSync(`${path}.lock`);
    await writing;
    expect(stored()).toEqual({ v: 1, items: [1] });
  });

  test('give up with a readable error when the wait is too long', async () => {
    writeFileSync(`${path}.lock`, lockOf(process.ppid));
    await expect(withFileLock(path, () => 1, 20)).rejects.toMatchObject({ code: 'storage-failed' });
    expect(readFileSync(`${path}.lock`, 'utf8')).toBe(lockOf(process.ppid));
  });

  test.each([
    ['of a process that died', (): string => lockOf(spawnSync(process.execPath, ['-e', '']).pid)],
    ['of an earlier process with our own id', (): string => lockOf(process.pid)],
  ])('take over the lock %s at once', async (_whose, content) => {
    writeFileSync(`${path}.lock`, content());
    await expect(withFileLock(path, () => 'done', 0)).resolves.toBe('done');
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each([
    ['another host', lockOf(1, 'elsewhere')],
    ['nobody knows whom', ''],
  ])('take over the lock of %s only once it is old', async (_whose, content) => {
    writeFileSync(`${path}.lock`, content);
    await expect(withFileLock(path, () => 1, 20)).rejects.toMatchObject({ code: 'storage-failed' });
    const old = new Date(Date.now() - 60_000);
    utimesSync(`${path}.lock`, old, old);
    await expect(withFileLock(path, () => 1, 0)).resolves.toBe(1);
  });

  test('call their write off when the lock was taken from them', async () => {
    writeFileSync(path, '{"items":[]}');
    const writing = rewriteOwnerFile(path, (document) => {
      append(document, 1);
      writeFileSync(`${path}.lock`, lockOf(process.ppid));
    });
    await expect(writing).rejects.toMatchObject({ code: 'storage-failed' });
    expect(readFileSync(path, 'utf8')).toBe('{"items":[]}');
    expect(readdirSync(folder).sort()).toEqual(['file.json', 'file.json.lock']);
  });

  test('of different files do not wait for each other', async () => {
    mkdirSync(join(folder, 'b'));
    let free = (): void => {};
    const first = withFileLock(path, () => new Promise<void>((resolve) => (free = resolve)));
    await expect(withFileLock(join(folder, 'b', 'file.json'), () => 'b')).resolves.toBe('b');
    free();
    await first;
  });
});
