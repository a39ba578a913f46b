// The README's examples, as a reader copies them: every shell block, in order, against a server on a home that does not
// exist yet. Only the port is another one.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ENTRY, ensureBuilt, PROJECT } from '../support/compiled-server.js';
import { startServerChild, type ServerChild } from '../support/server-child.js';

/** Contents of the fenced blocks of a language. */
const blocks = (markdown: string, language: string): string[] =>
  [...markdown.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map((match) => match[1] ?? '');

describe('the README', () => {
  let folder: string;
  let server: ServerChild;

  beforeAll(async () => {
    ensureBuilt();
    folder = mkdtempSync(join(tmpdir(), 'switchboard-readme-'));
    for (const name of ['package.json', 'node_modules', 'dist', 'migrations'])
      symlinkSync(join(PROJECT, name), join(folder, name));
    server = await startServerChild([ENTRY, 'start'], { cwd: folder, env: { SWITCHBOARD_PORT: '0' } });
  }, 120_000);

  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('has examples that all work, one after the other', () => {
    const readme = readFileSync(join(PROJECT, 'README.md'), 'utf8');
    const script = `set -euo pipefail\n${blocks(readme, 'sh').join('\necho\n')}`.replaceAll(
      'http://127.0.0.1:7420',
      server.url,
    );
    const env = { ...process.env, SWITCHBOARD_HOME: join(folder, 'home') };
    const { status, stdout, stderr } = spawnSync('bash', ['-c', script], {
      cwd: folder,
      env,
      encoding: 'utf8',
      timeout: 100_000,
    });
    expect([status, stderr]).toEqual([0, '']);
    const wanted = [
      '"text":"echo: hello"',
      'It asks: What is your name?',
      'you said: Ann',
      '"response":"done"',
      'demo/me',
    ];
    for (const shown of wanted) expect(stdout).toContain(shown);
    expect(stdout).toMatch(/^id: \w+\.\d+$/m);
  }, 120_000);
});
