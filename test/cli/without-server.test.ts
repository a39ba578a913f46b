import { cpSync, chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureOperatorKey, operatorKeyFile, writeServerInfo } from '../../src/home.js';
import { type as typed } from '../support/fake-terminal.js';
import { OperatorServer } from '../support/operator-server.js';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'switchboard-cli-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));
const type = (...argv: string[]) => typed(home, argv);
/** A process id that surely belongs to nobody. */
const NOBODY = 2 ** 30;

describe('commands without a server', () => {
  it('init makes a workspace, with a card and a caller where asked for', async () => {
    const made = await type('init', 'desk', '--description', 'answers mail', '--caller', 'bob', '--json');
    const { path, key } = made.json<{ path: string; key: string }>();
    expect(path).toBe(join(home, 'workspaces', 'desk'));
    expect(readFileSync(join(path, '.a2a', 'card.json'), 'utf8')).toContain('answers mail');
    expect(readFileSync(join(path, '.a2a', 'callers.json'), 'utf8')).not.toContain(key);
    expect(await type('init', 'desk')).toMatchObject({ code: 2 });
    expect(await type('init', '../desk')).toMatchObject({ code: 2 });
    expect(await type('init', 'other', '--url', 'http://127.0.0.1:9')).toMatchObject({ code: 2 });
  });

  it('a misspelt setting is told once, also where a command reads the settings twice', async () => {
    await type('init', 'desk');
    writeFileSync(join(home, 'switchboard.json'), '{"maxIdleSesions": 1}');
    const { err } = await type('callers', 'list');
    expect(err.match(/maxIdleSesions/g)).toHaveLength(1);
  });

  it('callers are managed on the files', async () => {
    await type('init', 'desk');
    const first = (await type('callers', 'add', 'desk/bob', '--agents', 'desk,other', '--json')).json<{
      key: string;
    }>();
    const second = (await type('callers', 'rotate', 'desk/bob', '--revoke', '--json')).json<{ key: string }>();
    expect(second.key).not.toBe(first.key);
    const { out } = await type('callers', 'list');
    expect(out).toMatch(new RegExp(`desk/bob +…${second.key.slice(-4)} +desk,other`));
    expect(out).not.toContain(first.key.slice(-4));
    expect(await type('callers', 'remove', 'desk/bob')).toMatchObject({ code: 0 });
    expect(await type('callers', 'remove', 'desk/bob')).toMatchObject({ code: 6 });
    expect(await type('callers', 'add', 'nowhere/bob')).toMatchObject({ code: 6 });
  });

  it('a caller may be given an agent that nobody knows, and a warning says so', async () => {
    await type('init', 'desk');
    await type('init', 'other');
    writeFileSync(
      join(home, 'workspaces', 'desk', '.a2a', 'agents.json'),
      '{"agents": [{"name": "far", "url": "http://127.0.0.1:9"}]}',
    );
    const added = await type('callers', 'add', 'desk/bob', '--agents', 'desk,other,far,ohter');
    expect(added).toMatchObject({
      code: 0,
      err: expect.stringMatching(/^warning: no agent "ohter" is known now; .*$/),
    });
    expect((await type('callers', 'list')).out).toContain('desk,other,far,ohter');
  });

  it('a list of callers behind a file that can not be read says so, with its place, and fails', async () => {
    await type('init', 'desk', '--caller', 'bob');
    await type('init', 'broken');
    writeFileSync(join(home, 'workspaces', 'broken', '.a2a', 'callers.json'), '{"callers": ');
    const { code, out, err } = await type('callers', 'list');
    expect(out).toMatch(/^desk\/bob /m);
    expect({ code, err }).toEqual({
      code: 7,
      err: 'callers.json of broken: is not valid JSON at line 1, column 13; nobody is let in',
    });
    expect(await type('callers', 'list', 'desk')).toMatchObject({ code: 0, err: '' });
    expect(await type('callers', 'list', 'nowhere')).toMatchObject({ code: 6, out: '' });
  });

  it('init sets up a language model, and nothing for settings that can’t be used', async () => {
    const llm = ['--llm', 'http://127.0.0.1:11434/v1/', '--model', 'small'];
    expect(await type('init', 'thinker', ...llm, '--key-env', 'MODEL_KEY')).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(join(home, 'workspaces/thinker/.a2a/workspace.json'), 'utf8'))).toEqual({
      v: 1,
      driver: { name: 'llm', baseUrl: 'http://127.0.0.1:11434/v1/', model: 'small', keyEnv: 'MODEL_KEY' },
    });
    for (const wrong of [
      ['--llm', 'ftp://x', '--model', 'm'],
      ['--llm', 'http://x/v1'],
      ['--model', 'm'],
      [...llm, '--key-env', 'SWITCHBOARD_OPERATOR_KEY'],
    ])
      expect(await type('init', 'other', ...wrong)).toMatchObject({ code: 2 });
    expect(existsSync(join(home, 'workspaces/other'))).toBe(false);
  });

  it('what needs a server says so', async () => {
    for (const argv of [['tasks'], ['chat', 'hi'], ['agents'], ['status', 'x']]) {
      const { code, err } = await type(...argv);
      expect(code).toBe(3);
      expect(err).toContain('switchboard start');
    }
  });

  it('the file of a server that is gone counts as none', async () => {
    writeServerInfo(home, { url: 'http://127.0.0.1:9', pid: NOBODY, startedAt: '' });
    await type('init', 'desk');
    expect(await type('callers', 'list')).toMatchObject({ code: 0 });
  });

  it('the server of the home that this one is a copy of counts as none', async () => {
    const server = await OperatorServer.start();
    const copy = join(home, 'copy');
    cpSync(server.home.path, copy, { recursive: true });
    expect(await typed(copy, ['tasks'])).toMatchObject({ code: 3 });
    expect(await typed(server.home.path, ['tasks'])).toMatchObject({ code: 0 });
    expect((await typed(copy, ['doctor'])).out).toContain('did not stop cleanly');
    await server.switchboard.stop();
  });

  it('rebuild reads all tasks from the files', async () => {
    const server = await OperatorServer.start();
    for (const contextId of ['a', 'b', 'c']) await server.chat('hello', { contextId });
    const before = (await server.get<{ tasks: object[] }>('/tasks')).body.tasks;
    await server.switchboard.stop();
    expect(await typed(server.home.path, ['rebuild'])).toMatchObject({
      code: 0,
      out: 'Rebuilt from the files: 3 tasks.',
    });
    const after = await server.restart();
    const pollUrl = expect.any(String);
    expect((await after.get<{ tasks: object[] }>('/tasks')).body.tasks).toEqual(
      before.map((task) => ({ ...task, pollUrl })),
    );
  });

  it('a bad configuration ends every command with one readable list', async () => {
    writeFileSync(join(home, 'switchboard.json'), '{"port": -1, "maxHops": 0}');
    const { code, err } = await type('callers', 'list');
    expect(code).toBe(7);
    expect(err).toContain('port must be');
    expect(err).toContain('maxHops must be');
  });

  it('misspelt settings are pointed out', async () => {
    writeFileSync(join(home, 'switchboard.json'), '{"prot": 1}');
    expect((await type('callers', 'list')).err).toContain('there is no setting prot');
  });
});

describe('doctor', () => {
  it('is content with a home in order', async () => {
    await type('init', 'desk');
    const { code, out } = await type('doctor');
    expect(code).toBe(0);
    expect(out).not.toMatch(/PROBLEM|warning/);
  });

  it('says what a new home lacks, and makes nothing', async () => {
    const { code, out } = await typed(join(home, 'new'), ['doctor']);
    expect(code).toBe(0);
    expect(out).toContain('does not exist yet');
    expect(() => readFileSync(join(home, 'new'))).toThrow('ENOENT');
  });

  it('names an owner’s file that can’t be used and what to do', async () => {
    await type('init', 'desk');
    writeFileSync(join(home, 'workspaces', 'desk', '.a2a', 'callers.json'), '{"callers": ');
    const { code, out } = await type('doctor');
    expect(code).toBe(1);
    expect(out).toMatch(/PROBLEM workspaces: desk: callers\.json .*\n +→ Correct callers\.json of desk/);
  });

  it('names what is wrong with an agents.json', async () => {
    await type('init', 'desk');
    writeFileSync(join(home, 'workspaces', 'desk', '.a2a', 'agents.json'), '{"agents": [{"name": "far", "url": 7}]}');
    const { code, out } = await type('doctor');
    expect(code).toBe(1);
    expect(out).toContain('desk: agents.json entry 1 is skipped: "url" is not valid');
  });

  it('warns of key files that others can read', async () => {
    await type('init', 'desk', '--caller', 'bob');
    ensureOperatorKey(home);
    chmodSync(operatorKeyFile(home), 0o644);
    const plain = join(home, 'workspaces', 'desk', '.a2a', 'callers.json');
    writeFileSync(plain, '{"v": 1, "callers": [{"name": "bob", "key": "in-the-clear"}]}');
    chmodSync(plain, 0o644);
    const { code, out } = await type('doctor');
    expect(code).toBe(0);
    for (const file of [operatorKeyFile(home), plain]) expect(out).toContain(`chmod 600 ${file}`);
    expect(out).not.toContain('in-the-clear');
  });

  it('warns of data that other users could open', async () => {
    await type('init', 'desk');
    ensureOperatorKey(home);
    const data = join(home, 'data');
    chmodSync(data, 0o755);
    writeFileSync(join(data, 'mirror.sqlite.corrupt-1'), '', { mode: 0o644 });
    const { code, out } = await type('doctor');
    expect(code).toBe(0);
    for (const path of [data, join(data, 'mirror.sqlite.corrupt-1')]) expect(out).toContain(`chmod go= ${path}`);
  });

  it('shows every problem of the configuration', async () => {
    writeFileSync(join(home, 'switchboard.json'), '{"port": 1,}');
    const { code, out } = await type('doctor');
    expect(code).toBe(1);
    expect(out).toContain('line 1, column 12');
  });

  it('notices a server that did not stop cleanly', async () => {
    await type('init', 'desk');
    writeServerInfo(home, { url: 'http://127.0.0.1:9', pid: NOBODY, startedAt: '' });
    expect((await type('doctor')).out).toContain('did not stop cleanly');
  });

  it('prints its findings as JSON too', async () => {
    await type('init', 'desk');
    const { findings } = (await type('doctor', '--json')).json<{ findings: { check: string; level: string }[] }>();
    expect(findings.map(({ level }) => level)).not.toContain('problem');
  });
});
