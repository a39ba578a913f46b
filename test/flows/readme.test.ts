// The examples of the README and of docs/operator.md, as a reader copies them: every shell block, in order, against a
// server on a home that does not exist yet. Only the port is another one.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readServerInfo } from '../../src/home.js';
import { ENTRY, ensureBuilt, PROJECT } from '../support/compiled-server.js';
import { startServerChild, type ServerChild } from '../support/server-child.js';

/** Contents of the fenced blocks of a language. */
const blocks = (markdown: string, language: string): string[] =>
  [...markdown.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map((match) => match[1] ?? '');

describe('a new reader', () => {
  let folder: string;
  let server: ServerChild;

  beforeAll(async () => {
    ensureBuilt();
    folder = mkdtempSync(join(tmpdir(), 'switchboard-readme-'));
    for (const name of ['package.json', 'node_modules', 'dist', 'migrations'])
      symlinkSync(join(PROJECT, name), join(folder, name));
    server = await startServerChild([ENTRY, 'start'], { cwd: folder, env: { SWITCHBOARD_PORT: '0' } });
  });

  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** What a document's shell blocks print, run as one script; they must succeed and complain of nothing. */
  function tried(document: string): string {
    const text = readFileSync(join(PROJECT, document), 'utf8').replaceAll('http://127.0.0.1:7420', server.url);
    const script = `set -euo pipefail\n${blocks(text, 'sh').join('\necho\n')}`;
    const env = { ...process.env, SWITCHBOARD_HOME: join(folder, 'home') };
    const options = { cwd: folder, env, encoding: 'utf8', timeout: 100_000 } as const;
    const { status, stdout, stderr } = spawnSync('bash', ['-c', script], options);
    expect([status, stderr]).toEqual([0, '']);
    return stdout;
  }

  it("finds the README's examples working, one after the other", () => {
    const stdout = tried('README.md');
    const wanted = [
      '"text":"echo: hello"',
      'It asks: What is your name?',
      'you said: Ann',
      '"response":"done"',
      'demo/me',
    ];
    for (const shown of wanted) expect(stdout).toContain(shown);
    expect(stdout).toMatch(/^id: \w+\.\d+$/m);
  });

  it('finds those for operators working too', () => {
    const stdout = tried('docs/operator.md');
    expect(stdout).not.toContain('"error"');
    for (const shown of ['you said: Ann', '"taskState":"completed"', '"taskState":"canceled"', '"pushes":[]'])
      expect(stdout).toContain(shown);
  });

  it('stops the server by a signal to npm', async () => {
    const home = join(folder, 'home-of-npm');
    const env = { ...process.env, SWITCHBOARD_HOME: home, SWITCHBOARD_PORT: '0' };
    const npm = spawn('npm', ['start'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'ignore'] });
    for await (const chunk of npm.stdout) if (String(chunk).includes('listening on')) break;
    const { pid } = readServerInfo(home) as { pid: number };
    npm.kill('SIGTERM');
    await once(npm, 'exit');
    // A shell between npm and the server would keep the signal to itself and leave the server behind.
    try {
      expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    } finally {
      if (readServerInfo(home)) process.kill(pid, 'SIGKILL');
    }
  });
});
