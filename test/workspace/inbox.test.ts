import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Inbox } from '../../src/workspace/inbox.js';
import { TempWorkspaces } from '../support/temp-workspaces.js';

const at = Date.parse('2026-01-31T12:34:56.789Z');
const bytes = Buffer.from('hello');
const ann = { id: 'demo/ann' };

describe('the inbox', () => {
  test('takes a file under a name that tells from whom and when, for the owner alone to read', () => {
    const home = new TempWorkspaces('demo');
    const path = new Inbox(home).save('demo', { caller: ann, filename: 'report.txt', bytes, at });
    expect(path).toBe('inbox/a2a-ann-20260131T123456Z-report.txt');
    expect(readFileSync(home.path('demo', path))).toEqual(bytes);
    expect(statSync(home.path('demo', path)).mode & 0o777).toBe(0o600);
  });

  test.each([
    ['other/ann', 'a2a-other.ann-'],
    ['operator', 'a2a-operator-'],
    ['plugin/timer', 'a2a-plugin.timer-'],
  ])('names the caller %s as session files do', (id, prefix) => {
    const home = new TempWorkspaces('demo');
    const path = new Inbox(home).save('demo', { caller: { id }, bytes, at });
    expect(path).toBe(`inbox/${prefix}20260131T123456Z-file`);
  });

  test('never overwrites: the next of a name gets a number before its extension', () => {
    const home = new TempWorkspaces('demo');
    const inbox = new Inbox(home);
    const save = (text: string): string =>
      inbox.save('demo', { caller: ann, filename: 'a.tar.gz', bytes: Buffer.from(text), at });
    const paths = ['one', 'two', 'three'].map(save);
    expect(paths.map((path) => path.slice(path.indexOf('Z-') + 2))).toEqual(['a.tar.gz', 'a.tar-2.gz', 'a.tar-3.gz']);
    expect(paths.map((path) => readFileSync(home.path('demo', path), 'utf8'))).toEqual(['one', 'two', 'three']);
  });

  test.each(['../../escape.txt', '/etc/passwd', '..\\x', 'a\r\nb', '.', `${'n'.repeat(1000)}.txt`, 'nul\0.txt'])(
    'keeps the file inside, whatever its name: %j',
    (filename) => {
      const home = new TempWorkspaces('demo');
      const path = new Inbox(home).save('demo', { caller: ann, filename, bytes, at });
      expect(path).toMatch(/^inbox\/a2a-ann-20260131T123456Z-[^/\\]+$/);
      expect(readdirSync(home.path('demo', 'inbox'))).toEqual([path.slice('inbox/'.length)]);
      expect(readdirSync(home.home)).toEqual(['workspaces']);
    },
  );

  test('does not write through a link that waits under the name', () => {
    const home = new TempWorkspaces('demo');
    const outside = join(home.home, 'outside');
    mkdirSync(home.path('demo', 'inbox'));
    symlinkSync(outside, home.path('demo', 'inbox', 'a2a-ann-20260131T123456Z-x'));
    const path = new Inbox(home).save('demo', { caller: ann, filename: 'x', bytes, at });
    expect(path).toBe('inbox/a2a-ann-20260131T123456Z-x-2');
    expect(existsSync(outside)).toBe(false);
  });

  test.each([
    ['out of the workspace', (home: TempWorkspaces): string => home.home],
    ['to the switchboard’s own files', (home: TempWorkspaces): string => home.path('demo', '.a2a')],
    ['to nowhere', (): string => '/nowhere/at/all'],
  ])('is refused when it is a link %s', (_where, target) => {
    const home = new TempWorkspaces('demo');
    symlinkSync(target(home), home.path('demo', 'inbox'));
    const before = existsSync(target(home)) ? readdirSync(target(home)) : undefined;
    const save = (): string => new Inbox(home).save('demo', { caller: ann, bytes, at });
    expect(save).toThrow(expect.objectContaining({ code: 'config' }));
    if (before) expect(readdirSync(target(home))).toEqual(before);
  });

  test('is refused when it is a file', () => {
    const home = new TempWorkspaces('demo');
    writeFileSync(home.path('demo', 'inbox'), 'mine');
    expect(() => new Inbox(home).save('demo', { caller: ann, bytes, at })).toThrow(
      expect.objectContaining({ code: 'config' }),
    );
    expect(readFileSync(home.path('demo', 'inbox'), 'utf8')).toBe('mine');
  });

  test('does not bring back a workspace that was removed', () => {
    const home = new TempWorkspaces('demo');
    rmSync(home.path('demo'), { recursive: true });
    expect(() => new Inbox(home).save('demo', { caller: ann, bytes, at })).toThrow(/ENOENT/);
    expect(() => new Inbox(home).save('../demo', { caller: ann, bytes, at })).toThrow(
      expect.objectContaining({ code: 'not-found' }),
    );
    expect(existsSync(home.path('demo'))).toBe(false);
  });
});
