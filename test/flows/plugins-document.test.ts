// docs/plugins.md tried as a new author would: its files, its commands and its requests, as they stand there.
import { spawn } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ENTRY, ensureBuilt, startSwitchboard } from '../support/compiled-server.js';
import { examplesOf } from '../support/plugin-examples.js';
import { PluginHome } from '../support/plugin-home.js';
import { makeTestHome } from '../support/test-home.js';

const guide = readFileSync(new URL('../../docs/plugins.md', import.meta.url), 'utf8');
const scripts = [...guide.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, script]) => script as string);
const files = examplesOf(guide);
const file = (name: string): string => files.get(name) ?? `throw new Error('the guide has no ${name}')`;

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

function shell(script: string, env: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-e', '-o', 'pipefail', '-c', script], { env: { ...process.env, ...env } });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += String(text)));
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve(output) : reject(new Error(`${code}: ${output}`))));
  });
}

const count = (text: string): number => text.split('\n').filter((line) => line.trim() !== '').length;

describe('the guide for authors', () => {
  beforeAll(() => ensureBuilt(), 300_000);

  it('leads from nothing to an agent that asks, makes a file and is called over A2A, in under 40 lines', async () => {
    const home = makeTestHome({ callers: ['bob'] });
    cleanUp.push(() => home.remove());
    const bin = join(home.path, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'switchboard'), `#!/bin/sh\nexec '${process.execPath}' '${ENTRY}' "$@"\n`);
    chmodSync(join(bin, 'switchboard'), 0o755);
    const env = { SWITCHBOARD_HOME: home.path, PATH: `${bin}:${process.env['PATH'] ?? ''}` };
    const [scaffold, own, call] = scripts as [string, string, string];

    expect(await shell(scaffold, env)).toMatch(/pass 1/);
    for (const name of ['reporter.ts', 'reporter.test.ts']) writeFileSync(join(home.path, 'plugins', name), file(name));
    expect(await shell(own, env)).toMatch(/pass 1/);
    const server = await startSwitchboard({ home: home.path });
    cleanUp.push(() => server.stop());
    const output = await shell(call, { ...env, URL: server.url });
    expect(output).toMatch(/reporter +running/);
    expect(output).toContain('TASK_STATE_COMPLETED');
    expect(output).toMatch(/"filename":"report\.md"/);
    expect(count(file('reporter.ts')) + count(file('reporter.test.ts')) + count(own) + count(call)).toBeLessThan(40);

    appendFileSync(join(home.path, 'plugins', 'reporter.test.ts'), `test('fails', () => assert.fail());\n`);
    await expect(shell(own, env)).rejects.toThrow(/fail 1/);
  });
});

describe('its examples', () => {
  const start = (name: string, options: Parameters<typeof PluginHome.start>[1] = {}): Promise<PluginHome> =>
    PluginHome.start({ [name]: file(name) }, { callers: ['ann'], ...options });

  it('a guard refuses what its settings say, and not the operator', async () => {
    const server = await start('office-hours.ts', {
      settings: { pluginSettings: { 'office-hours': { closed: true } } },
    });
    const { core } = server.switchboard;
    const message = { messageId: 'm1', role: 'ROLE_USER' as const, parts: [{ text: 'hi' }] };
    const caller = { id: 'demo/ann', scope: 'demo' };
    const sent = core.prompts.submit({ agent: 'demo', caller, message, chain: [], surface: 'a2a' });
    await expect(sent).rejects.toMatchObject({ code: 'forbidden', message: 'We are closed.' });
    expect((await server.chat('demo', 'hi')).response).toBe('echo: hi');
  });

  it('a watcher counts what it observes, and serves it to the operator alone', async () => {
    const server = await start('counter.ts');
    await server.chat('demo', 'hi');
    await server.switchboard.bus.drain();
    expect(await server.call('GET', '/plugins/counter/counts')).toEqual({
      status: 200,
      body: { ended: 1, refused: 0 },
    });
    expect((await server.call('GET', '/plugins/counter/counts', undefined, 'wrong')).status).toBe(401);
  });

  it('a notifier takes words to owners', async () => {
    const env: Record<string, string> = {};
    const home = makeTestHome();
    cleanUp.push(() => home.remove());
    env['NOTES_FILE'] = join(home.path, 'notes');
    const server = await start('notes.ts', { env });
    await server.chat('demo', 'notify look at this; say done');
    await server.switchboard.bus.drain();
    expect(readFileSync(env['NOTES_FILE'], 'utf8')).toBe('demo: look at this\n');
  });

  it('an authenticator lets in whom it names, with the rights of that caller', async () => {
    const server = await start('badge.ts');
    const ask = (badge: string) =>
      fetch(`${server.url}/a2a/tasks`, { headers: { 'x-badge': badge, 'A2A-Version': '1.0' } }).then(
        ({ status }) => status,
      );
    expect(await ask('blue-7')).toBe(200);
    expect(await ask('red')).toBe(401);
  });

  it('a driver answers for the workspace that names it', async () => {
    const server = await start('shout.ts');
    const settings = join(server.home.path, 'workspaces', 'demo', '.a2a', 'workspace.json');
    writeFileSync(settings, JSON.stringify({ v: 1, driver: { name: 'shout' } }));
    expect((await server.chat('demo', 'hello')).response).toBe('HELLO');
  });

  it('are all tried here', () => {
    const tried = [
      'reporter.ts',
      'reporter.test.ts',
      'office-hours.ts',
      'counter.ts',
      'notes.ts',
      'badge.ts',
      'shout.ts',
    ];
    expect([...files.keys()]).toEqual(tried);
  });
});
