import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OwnerFile, readOwnerText } from '../../src/workspace/owner-file.js';
import type { Reading } from '../../src/workspace/owner-json.js';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-owner-file-'));
  path = join(folder, 'file.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (): OwnerFile<Reading> => new OwnerFile({ path, list: 'items', interpret: (reading) => ({ ...reading }) });
const old = new Date('2020-01-01T00:00:00.123Z');

describe('an owner file', () => {
  test('shows every edit at once, of the same size and made in the same instant', () => {
    const file = open();
    for (let at = 100; at < 400; at += 1) {
      writeFileSync(path, `{"n":${at}}`);
      expect(file.get().document).toEqual({ n: at });
    }
  });

  test('shows an edit that hides behind the old modification time', () => {
    const file = open();
    writeFileSync(path, '{"n":1}');
    utimesSync(path, old, old);
    expect(file.get().document).toEqual({ n: 1 });
    writeFileSync(path, '{"n":2}');
    utimesSync(path, old, old);
    expect(file.get().document).toEqual({ n: 2 });
  });

  test('shows a file that was renamed into place', () => {
    const file = open();
    writeFileSync(path, '{"n":1}');
    file.get();
    writeFileSync(`${path}.new`, '{"n":2}');
    renameSync(`${path}.new`, path);
    expect(file.get().document).toEqual({ n: 2 });
  });

  test('is the same value until the content changes, however often it is read', () => {
    const file = open();
    writeFileSync(path, '{"n":1}');
    const first = file.get();
    expect(file.get()).toBe(first);
    writeFileSync(path, '{"n":1}');
    expect(file.get()).toBe(first);
  });

  test('is empty while it is missing, and again after it was removed', () => {
    const file = open();
    expect(file.get()).toEqual({});
    writeFileSync(path, '{"n":1}');
    expect(file.get().document).toEqual({ n: 1 });
    rmSync(path);
    expect(file.get()).toEqual({});
  });

  test('hands the value before to the one who interprets', () => {
    const seen: (number | undefined)[] = [];
    let count = 0;
    const file = new OwnerFile<number>({ path, interpret: (_reading, last) => (seen.push(last), (count += 1)) });
    file.get();
    writeFileSync(path, '{}');
    file.get();
    expect(seen).toEqual([undefined, 1]);
  });

  test('may begin with a byte order mark, and may be a bare array', () => {
    writeFileSync(path, '\uFEFF[1, 2]');
    expect(open().get()).toEqual({ document: { items: [1, 2] } });
  });

  test.each([
    ['{"key": "secret-key-1234", x}', /^is not valid JSON at line 1, column 28$/],
    ['', /^is not valid JSON/],
    ['{"v":1,\n"a":', /^is not valid JSON at line 2/],
    ['"secret-key-1234"', /^must hold a JSON object or array$/],
    ['null', /^must hold/],
    ['{"v":2}', /^has format version 2, but this program reads only up to version 1$/],
    ['{"v":"1"}', /^has a "v" that is not a version number$/],
    ['{"v":0.5}', /version number/],
    [`${'['.repeat(20000)}`, /^is not valid JSON/],
  ])('says what is wrong with %j without quoting it', (text, problem) => {
    writeFileSync(path, text);
    const reading = open().get();
    expect(reading.problem).toMatch(problem);
    expect(reading.problem).not.toContain('secret');
  });

  test('that is a folder, a dangling link or far too large is a problem, not a crash', () => {
    mkdirSync(path);
    const file = open();
    expect(file.get().problem).toBe('is not a regular file');
    rmSync(path, { recursive: true });
    symlinkSync(join(folder, 'nowhere'), path);
    expect(file.get()).toEqual({});
    rmSync(path);
    symlinkSync(path, path);
    expect(file.get().problem).toMatch(/can't be read \(ELOOP\)/);
    rmSync(path);
    writeFileSync(path, ' '.repeat(16 * 1024 * 1024 + 1));
    expect(file.get().problem).toMatch(/larger than/);
    writeFileSync(path, '{"n":1}');
    expect(file.get().document).toEqual({ n: 1 });
  });

  test('follows a link of its owner', () => {
    writeFileSync(join(folder, 'real.json'), '{"n":1}');
    symlinkSync(join(folder, 'real.json'), path);
    const file = open();
    expect(file.get().document).toEqual({ n: 1 });
    writeFileSync(join(folder, 'real.json'), '{"n":2}');
    expect(file.get().document).toEqual({ n: 2 });
  });

  test('keeps working when its permissions change', () => {
    writeFileSync(path, '{"n":1}');
    const file = open();
    file.get();
    chmodSync(path, 0o400);
    expect(file.get().document).toEqual({ n: 1 });
  });
});

test('a raw text loses its byte order mark only', () => {
  writeFileSync(path, '\uFEFF not json \n');
  expect(readOwnerText(path)).toEqual({ text: ' not json \n' });
  expect(readOwnerText(`${path}.none`)).toEqual({ missing: true });
  expect(readFileSync(path).length).toBe(statSync(path).size);
});
