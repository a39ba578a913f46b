// The tools on a workspace's files, on a real disk: what they do, and all that they must not.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { FileTools } from '../../../plugins/executors/session-runner/file-tools/file-tools.js';
import { createEnvironment } from '../../../src/environment.js';
import { Secrets } from '../../../src/secrets/secrets.js';
import { systemClock } from '../../../src/clock.js';
import { defaultSettings } from '../../../src/workspace/workspace-settings.js';

const root = mkdtempSync(join(tmpdir(), 'file-tools-'));
const directory = join(root, 'helper');
const SECRET = 'key-of-somebody';

interface Who {
  caller?: string;
  owner?: boolean;
  writeStanding?: boolean;
  shell?: boolean;
}

const VARIABLES = {
  PATH: process.env['PATH'],
  MODEL_KEY: 'sk-very-secret',
  SWITCHBOARD_OPERATOR_KEY: 'operator-secret',
};

function tools({ caller = 'helper/ann', owner = false, writeStanding = false, shell = false }: Who = {}): FileTools {
  return new FileTools({
    ownsTask: (id) => id === 'mine',
    workspace: 'helper',
    directory,
    caller: { id: caller, scope: 'helper' },
    owner,
    settings: { ...defaultSettings(), tools: { shell, writeStanding } },
    environment: createEnvironment(VARIABLES, new Secrets()),
    clock: systemClock,
  });
}

const use = (name: string, args: unknown, who?: Who, signal = new AbortController().signal) =>
  tools(who).call(name, args, signal);
const put = (path: string, content = 'x'): void => {
  mkdirSync(join(directory, path, '..'), { recursive: true });
  writeFileSync(join(directory, path), content);
};
const content = (path: string): string => readFileSync(join(directory, path), 'utf8');

beforeEach(() => {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(join(directory, '.a2a'), { recursive: true });
  put('.a2a/callers.json', SECRET);
  writeFileSync(join(root, 'outside.txt'), SECRET);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('the file tools', () => {
  it('write, read, edit, list and search', async () => {
    expect(await use('write_file', { path: 'notes/a.txt', content: 'one\nTwo\nthree' })).toMatchObject({ ok: true });
    expect(await use('read_file', { path: 'notes/a.txt' })).toEqual({ ok: true, text: 'one\nTwo\nthree' });
    expect(await use('read_file', { path: 'notes/a.txt', line: 2, lines: 1 })).toEqual({
      ok: true,
      text: 'Two\n[lines 2 to 2 of 3]',
    });
    expect(await use('edit_file', { path: 'notes/a.txt', old: 'Two', new: '$& two' })).toMatchObject({ ok: true });
    expect(content('notes/a.txt')).toBe('one\n$& two\nthree');
    expect((await use('list_files', {})).text).toBe('notes/');
    expect((await use('list_files', { deep: true })).text).toBe('notes/\nnotes/a.txt');
    expect((await use('search_files', { text: 'TWO' })).text).toBe('notes/a.txt:2: $& two');
    expect((await use('search_files', { text: '(a+)+$' })).text).toBe('Nothing was found.');
    expect(readdirSync(join(directory, 'notes'))).toEqual(['a.txt']);
  });

  it('keep the mode of a file that they replace', async () => {
    put('run.sh');
    execFileSync('chmod', ['750', join(directory, 'run.sh')]);
    await use('write_file', { path: 'run.sh', content: 'y' });
    expect(statSync(join(directory, 'run.sh')).mode & 0o777).toBe(0o750);
  });

  it.each([
    ['../outside.txt'],
    ['/etc/passwd'],
    ['notes/../../outside.txt'],
    ['link'],
    ['folder-link/outside.txt'],
    ['chain'],
    ['.a2a/callers.json'],
    ['.A2A/callers.json'],
    ['./.a2a/../.a2a/callers.json'],
    ['.a2a./callers.json'],
    ['.a2a /callers.json'],
    ['.a2a::$INDEX_ALLOCATION/callers.json'],
    ['A2A~1/callers.json'],
    ['．ａ２ａ/callers.json'],
    ['.a\u200b2a/callers.json'],
    ['keys'],
    ['keys-folder/callers.json'],
    ['hard'],
    ['pipe'],
    ['.a2a/callers.json\0.txt'],
  ])('neither read nor change %j', async (path) => {
    mkdirSync(join(directory, 'notes'));
    symlinkSync('../outside.txt', join(directory, 'link'));
    symlinkSync(root, join(directory, 'folder-link'));
    symlinkSync('link', join(directory, 'chain'));
    symlinkSync('.a2a/callers.json', join(directory, 'keys'));
    symlinkSync('.a2a', join(directory, 'keys-folder'));
    linkSync(join(directory, '.a2a/callers.json'), join(directory, 'hard'));
    execFileSync('mkfifo', [join(directory, 'pipe')]);
    for (const who of [{}, { owner: true, caller: 'operator', writeStanding: true }]) {
      const answers = [
        await use('read_file', { path }, who),
        await use('edit_file', { path, old: SECRET, new: 'mine' }, who),
        await use('list_files', { path }, who),
        await use('search_files', { text: SECRET, path }, who),
        // A hard link is replaced, which leaves the other name alone.
        ...(path === 'hard' ? [] : [await use('write_file', { path, content: 'mine' }, who)]),
      ];
      expect(answers.map(({ ok }) => ok)).not.toContain(true);
      expect(JSON.stringify(answers)).not.toContain(SECRET);
    }
    expect([content('.a2a/callers.json'), readFileSync(join(root, 'outside.txt'), 'utf8')]).toEqual([SECRET, SECRET]);
    expect(readdirSync(join(directory, '.a2a'))).toEqual(['callers.json']);
  });

  it('show nothing of what links lead to when they list and search', async () => {
    symlinkSync(root, join(directory, 'up'));
    symlinkSync('.a2a', join(directory, 'own'));
    linkSync(join(directory, '.a2a/callers.json'), join(directory, 'hard'));
    expect((await use('list_files', { deep: true })).text).toBe('hard\nup (link)');
    expect((await use('search_files', { text: SECRET })).text).toBe('Nothing was found.');
  });

  it('read and write nothing outside while a link changes its target', async () => {
    put('inside/outside.txt', 'inside');
    symlinkSync('inside', join(directory, 'real'));
    const swapper = new Worker(
      `const { renameSync, symlinkSync } = require('node:fs');
       const { workerData: { link, targets } } = require('node:worker_threads');
       for (;;) {
         for (const target of targets) {
           symlinkSync(target, link + '.new');
           renameSync(link + '.new', link);
         }
       }`,
      { eval: true, workerData: { link: join(directory, 'real'), targets: [root, join(directory, 'inside')] } },
    );
    await once(swapper, 'online');
    const seen = new Set<string>();
    for (let n = 0; n < 1000; n++) {
      seen.add((await use('read_file', { path: 'real/outside.txt' })).text);
      await use('write_file', { path: 'real/outside.txt', content: 'inside' });
    }
    await swapper.terminate();
    expect(seen).toContain('inside');
    expect([...seen].filter((text) => text.includes(SECRET))).toEqual([]);
    expect(readFileSync(join(root, 'outside.txt'), 'utf8')).toBe(SECRET);
    expect(readdirSync(root).sort()).toEqual(['helper', 'outside.txt']);
  });

  it('make nothing beyond a link that leads out, nor through one that leads nowhere', async () => {
    symlinkSync(join(root, 'new'), join(directory, 'dangling'));
    mkdirSync(join(root, 'elsewhere'), { recursive: true });
    symlinkSync(join(root, 'elsewhere'), join(directory, 'out'));
    for (const path of ['dangling', 'dangling/a', 'out/a', 'out/b/c'])
      expect(await use('write_file', { path, content: 'x' })).toMatchObject({ ok: false });
    expect([existsSync(join(root, 'new')), readdirSync(join(root, 'elsewhere'))]).toEqual([false, []]);
  });

  it('refuse what is not a path or a text, and folders', async () => {
    put('folder/file');
    for (const [name, args] of [
      ['read_file', {}],
      ['read_file', { path: 7 }],
      ['read_file', { path: 'folder' }],
      ['read_file', { path: 'missing' }],
      ['read_file', { path: 'folder/file', line: 9 }],
      ['write_file', { path: 'a' }],
      ['write_file', { path: 'folder', content: '' }],
      ['write_file', { path: '.', content: '' }],
      ['write_file', { path: 'folder/file/deeper', content: '' }],
      ['edit_file', { path: 'folder/file', old: '', new: '' }],
      ['edit_file', { path: 'folder/file', old: 'y', new: '' }],
      ['list_files', { path: 'folder/file' }],
      ['search_files', { text: '' }],
      ['shell', { command: 'true' }],
      ['nothing', null],
    ] as const)
      expect([name, args, await use(name, args)]).toEqual([name, args, { ok: false, text: expect.any(String) }]);
  });

  it('tell bytes from text, and cut what is long', async () => {
    put('image.png', 'a\0b');
    expect((await use('read_file', { path: 'image.png' })).text).toContain('is no text');
    put('long.txt', `${'line\n'.repeat(3000)}end`);
    expect((await use('read_file', { path: 'long.txt' })).text).toMatch(/\[lines 1 to 1000 of 3001\]$/);
    put('twice.txt', 'same same');
    expect((await use('edit_file', { path: 'twice.txt', old: 'same', new: 'x' })).text).toContain('more than once');
  });

  it('show each line whole in one window or the next, and say where one is cut', async () => {
    const line = (n: number): string => `${n}${'x'.repeat(15_000)}`;
    put('wide.txt', [1, 2, 3, 4].map(line).join('\n'));
    expect((await use('read_file', { path: 'wide.txt' })).text).toBe(`${line(1)}\n${line(2)}\n[lines 1 to 2 of 4]`);
    expect((await use('read_file', { path: 'wide.txt', line: 3 })).text).toBe(
      `${line(3)}\n${line(4)}\n[lines 3 to 4 of 4]`,
    );
    put('endless.txt', `${'y'.repeat(50_000)}\nend`);
    expect((await use('read_file', { path: 'endless.txt' })).text).toMatch(
      /y\n\[line 1 of 2, cut after 40000 of 50000 characters\]$/,
    );
    expect((await use('read_file', { path: 'endless.txt', line: 2 })).text).toBe('end\n[lines 2 to 2 of 2]');
  });

  it('find no more than can be shown, however often a file has it', async () => {
    put('often.txt', 'a\n'.repeat(500_000));
    const { ok, text } = await use('search_files', { text: 'a', path: '.' });
    expect([ok, text.split('\n').length, text.split('\n').at(-1)]).toEqual([
      true,
      101,
      '[only the first 100 are shown]',
    ]);
  });

  it('keep out of the switchboard’s own folder also where it is a link to another one', async () => {
    rmSync(join(directory, '.a2a'), { recursive: true });
    put('kept/callers.json', SECRET);
    symlinkSync('kept', join(directory, '.a2a'));
    for (const who of [{}, { owner: true, caller: 'operator' }]) {
      expect((await use('read_file', { path: 'kept/callers.json' }, who)).text).toContain('own files');
      expect((await use('write_file', { path: 'kept/callers.json', content: 'x' }, who)).ok).toBe(false);
      expect((await use('search_files', { text: SECRET }, who)).text).toBe('Nothing was found.');
    }
  });

  it('edit nothing that they could not write back as it was', async () => {
    writeFileSync(join(directory, 'latin.txt'), Buffer.from([0x61, 0xe9, 0x62]));
    expect((await use('edit_file', { path: 'latin.txt', old: 'a', new: 'x' })).text).toContain('not in UTF-8');
    expect(await use('read_file', { path: 'latin.txt' })).toEqual({ ok: true, text: 'a\ufffdb' });
  });

  it.each(['AGENTS.md', 'CLAUDE.md', 'PERSONA.md', 'memory.md', 'docs/../MEMORY.md', 'linked.md', 'real.md'])(
    'change %s only where the owner allows it, and in the owner’s own conversation',
    async (path) => {
      put('real.md', 'old');
      symlinkSync('real.md', join(directory, 'AGENTS.md'));
      symlinkSync('real.md', join(directory, 'linked.md'));
      expect((await use('write_file', { path, content: 'new' })).text).toContain('for the owner to change');
      expect(content('real.md')).toBe('old');
      expect(await use('write_file', { path, content: 'new' }, { writeStanding: true })).toMatchObject({ ok: true });
      expect(await use('write_file', { path, content: 'new' }, { owner: true })).toMatchObject({ ok: true });
    },
  );

  it('show a caller what it sent itself, and nobody else’s', async () => {
    const [mine, like, other] = ['ann', 'ann-x', 'bob'].map((name) => `inbox/a2a-${name}-20260101T000000Z-a.txt`);
    for (const path of [mine, like, other]) put(path as string, 'found');
    put('inbox/by-owner.txt', 'found');
    expect((await use('list_files', { path: 'inbox' })).text).toBe(`${mine}\ninbox/by-owner.txt`);
    expect((await use('search_files', { text: 'found' })).text.split('\n')).toHaveLength(2);
    expect(await use('read_file', { path: mine })).toMatchObject({ ok: true });
    for (const path of [like, other]) {
      expect((await use('read_file', { path })).text).toContain('sent by somebody else');
      expect(await use('write_file', { path, content: 'x' })).toMatchObject({ ok: false });
      expect(await use('read_file', { path }, { owner: true, caller: 'operator' })).toMatchObject({ ok: true });
    }
  });

  it('change nothing that git would run', async () => {
    put('.git/config');
    for (const path of ['.git/config', '.git/hooks/post-commit', 'sub/.GIT/config'])
      expect((await use('write_file', { path, content: 'x' })).text).toContain('git');
  });

  it('stop at an abort', async () => {
    for (let n = 0; n < 50; n++) put(`files/${n}`, 'found');
    const controller = new AbortController();
    controller.abort();
    expect((await use('search_files', { text: 'found' }, {}, controller.signal)).text).toBe('Nothing was found.');
  });
});

describe('the shell', () => {
  const shell = { shell: true };

  it('is there only where the owner allows it', async () => {
    expect(tools().tools.map(({ name }) => name)).not.toContain('shell');
    expect(tools(shell).tools.map(({ name }) => name)).toContain('shell');
    expect(await use('shell', { command: 'echo hi; pwd' }, shell)).toEqual({
      ok: true,
      text: `hi\n${directory}\n[exit 0]`,
    });
    expect(await use('shell', { command: 'echo no >&2; exit 3' }, shell)).toEqual({ ok: false, text: 'no\n[exit 3]' });
  });

  it('knows no secrets of the server', async () => {
    const { text } = await use('shell', { command: 'env' }, shell);
    expect(text).toContain('PATH=');
    expect(text).toContain(`HOME=${directory}`);
    expect(text).not.toMatch(/secret/);
  });

  it('is stopped with all that it started: at its time, at an abort, and at too much output', async () => {
    const pid = (text: string): number => Number(/pid (\d+)/.exec(text)?.[1]);
    const alive = (id: number): boolean => {
      try {
        // A zombie has no command line.
        return readFileSync(`/proc/${id}/cmdline`, 'utf8') !== '';
      } catch {
        return false;
      }
    };
    const background = 'sleep 600 & echo "pid $!";';
    const late = await use('shell', { command: `${background} sleep 600`, seconds: 1 }, shell);
    expect(late).toMatchObject({ ok: false, text: expect.stringContaining('longer than 1 seconds') });
    const left = await use('shell', { command: background }, shell);
    expect(left).toMatchObject({ ok: true });
    const noisy = await use('shell', { command: `${background} yes` }, shell);
    expect(noisy.text).toContain('it wrote too much');
    expect(noisy.text.length).toBeLessThan(40_000);
    const controller = new AbortController();
    writeFileSync(join(directory, 'fifo-maker'), '');
    execFileSync('mkfifo', [join(directory, 'pipe')]);
    const running = use('shell', { command: `${background} echo up > pipe; sleep 600` }, shell, controller.signal);
    // Opening the pipe waits for the other side, without blocking this process.
    await (await import('node:fs/promises')).readFile(join(directory, 'pipe'));
    controller.abort();
    const aborted = await running;
    expect(aborted.text).toContain('the turn is over');
    expect([late, left, noisy, aborted].map(({ text }) => alive(pid(text)))).toEqual([false, false, false, false]);
  });
});
