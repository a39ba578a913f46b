// What only a process of its own can show: plugins that would end it, or stop its event loop, and what survives a kill.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { TaskView } from '../../src/operator-wire.js';
import { ensureBuilt, ENTRY, startSwitchboard } from '../support/compiled-server.js';
import type { ServerChild } from '../support/server-child.js';
import { makeTestHome, OPERATOR_KEY, type TestHome } from '../support/test-home.js';

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});
beforeAll(() => ensureBuilt(), 300_000);

function homeWith(files: Record<string, string>): TestHome {
  const home = makeTestHome();
  cleanUp.push(() => home.remove());
  mkdirSync(join(home.path, 'plugins'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home.path, 'plugins', name), text);
  return home;
}

async function start(home: TestHome): Promise<ServerChild> {
  const server = await startSwitchboard({ home: home.path });
  cleanUp.push(() => server.stop());
  return server;
}

async function ask<T = TaskView>(server: ServerChild, method: string, path: string, body?: unknown): Promise<T> {
  const headers = { 'X-API-Key': OPERATOR_KEY, 'Content-Type': 'application/json' };
  const response = await fetch(server.url + path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return (await response.json()) as T;
}
const chat = (server: ServerChild, agent: string, message: string, more = {}): Promise<TaskView> =>
  ask(server, 'POST', '/api/a2a/chat', { agent, message, ...more });
const input = (server: ServerChild, body: object): Promise<TaskView> => ask(server, 'POST', '/api/a2a/input', body);

const agent = (name: string, body: string): string => `
import { defineAgent } from 'a2a-switchboard';
export default defineAgent({ name: '${name}', description: 'x', skills: [{ id: 'drop' }], approval: ${name === 'careful' ? "['*']" : '[]'},
  async run(prompt, { ask, call, once }) { ${body} } });`;

describe('the tests of a plugin', () => {
  it.each([
    ['that fail make the command fail', 'assert.equal(1, 2)', 1],
    ['that pass let it pass', 'assert.equal(1, 1)', 0],
  ])('%s', (_what, assertion, code) => {
    const text = `import test from 'node:test'; import assert from 'node:assert'; test('x', () => ${assertion});`;
    const env = { ...process.env, SWITCHBOARD_HOME: homeWith({ 'one.test.js': text }).path };
    expect(spawnSync(process.execPath, [ENTRY, 'plugin', 'test', 'one'], { env }).status).toBe(code);
  });
});

describe('a plugin in a server of its own', () => {
  it('that rejects or throws later, where nobody waits, is named, and the server goes on', async () => {
    const server = await start(
      homeWith({
        'later.js': agent(
          'later',
          `void (async () => { await null; throw new Error('rejected later'); })(); return 'ok';`,
        ),
        'stream.js': agent('stream', `(await import('node:fs')).createReadStream('/no/such/file'); return 'ok';`),
        'hostile.js': agent(
          'hostile',
          `setTimeout(() => {
             throw Object.defineProperty(new Error('x'), 'stack', { get() { throw new Error('in the getter'); } });
           }, 1);
           return 'ok';`,
        ),
        'timer.js': agent('timer', `setTimeout(() => { throw new Error('thrown later'); }, 1); return 'ok';`),
      }),
    );
    await chat(server, 'later', 'x');
    await chat(server, 'timer', 'x');
    await chat(server, 'stream', 'x');
    await chat(server, 'hostile', 'x');
    await chat(server, 'demo', 'wait 50; say done');
    expect((await chat(server, 'demo', 'hello')).response).toBe('echo: hello');
    const { plugins } = await ask<{ plugins: unknown[] }>(server, 'GET', '/api/a2a/plugins');
    expect(plugins).toEqual([
      expect.objectContaining({ name: 'hostile' }),
      expect.objectContaining({ name: 'later', faults: 1, lastFault: expect.stringContaining('rejected later') }),
      expect.objectContaining({ name: 'stream' }),
      expect.objectContaining({ name: 'timer', faults: 1, lastFault: expect.stringContaining('thrown later') }),
    ]);
    for (const said of ['thrown later', 'no such file or directory', 'can not be read']) {
      expect(server.stderr()).toContain(said);
    }
  });

  it('that rejects while others still load is named, and all of them start; doctor says the same', async () => {
    const rejects = `void Promise.reject(new Error('rejected early'));`;
    const home = homeWith({
      'early.js': rejects + agent('early', `return 'here';`),
      'gone.js': `${rejects} throw new Error('not usable');`,
      'slow.js': `await new Promise((resolve) => setImmediate(resolve));${agent('slow', `return 'here';`)}`,
    });
    const server = await start(home);
    expect((await chat(server, 'early', 'x')).response).toBe('here');
    expect((await chat(server, 'slow', 'x')).response).toBe('here');
    const { plugins } = await ask<{ plugins: unknown[] }>(server, 'GET', '/api/a2a/plugins');
    expect(plugins).toEqual([
      expect.objectContaining({ name: 'early', state: 'running', faults: 1 }),
      expect.objectContaining({
        name: 'plugins/gone.js',
        state: 'failed',
        lastFault: expect.stringContaining('early'),
      }),
      expect.objectContaining({ name: 'slow', state: 'running', faults: 0 }),
    ]);
    await server.stop();
    const env = { ...process.env, SWITCHBOARD_HOME: home.path };
    const doctor = spawnSync(process.execPath, [ENTRY, 'doctor'], { env, encoding: 'utf8' });
    expect(doctor.stdout).toMatch(/warning plugins: early did 1 things wrong, last: .*rejected early/);
    expect(doctor.stdout).toContain('plugins: slow can be read');
    expect(doctor.status).toBe(1);
  });

  it('may ask very many agents at once, and nobody is warned of a leak', async () => {
    const all = `Promise.all(Array.from({ length: 20 }, (_, n) => call('half', String(2 * n))))`;
    const server = await start(
      homeWith({
        'half.js': agent('half', `return String(Number(prompt.text) / 2);`),
        'fan.js': agent('fan', `return (await ${all}).map(({ text }) => text).join();`),
      }),
    );
    expect((await chat(server, 'fan', 'x')).response).toBe(Array.from({ length: 20 }, (_, n) => n).join());
    expect(server.stderr()).not.toMatch(/MaxListeners/);
  });

  it('that blocks the event loop is named with the place; others come late, and nothing is lost', async () => {
    const server = await start(
      homeWith({
        'blocker.js': agent(
          'blocker',
          `await null;
           for (const end = Date.now() + 5_000; Date.now() < end; );
           return 'at last';`,
        ),
      }),
    );
    const blocked = chat(server, 'blocker', 'x');
    const others = Array.from({ length: 10 }, (_, n) => chat(server, 'demo', `say ${n}`));
    expect((await blocked).response).toBe('at last');
    expect((await Promise.all(others)).map(({ response }) => response)).toEqual(others.map((_, n) => String(n)));
    const { plugins } = await ask<{ plugins: { lastFault?: string }[] }>(server, 'GET', '/api/a2a/plugins');
    expect(plugins[0]?.lastFault).toMatch(/blocks the event loop, at .*blocker\.js:\d+/);
  });

  it('has its questions, its kept results and its approvals after a kill', async () => {
    const home = homeWith({
      'asker.js': agent(
        'asker',
        `await once('mark', async () => (await import('node:fs')).appendFileSync(prompt.text, 'x'));
         return 'Hello ' + (await ask('name', 'Who?'));`,
      ),
      'careful.js': agent('careful', `return 'done: ' + prompt.text;`),
    });
    const marks = join(home.path, 'marks');
    const first = await start(home);
    const asked = await chat(first, 'asker', marks);
    expect(asked.question).toBe('Who?');
    // The operator needs nobody's consent, so another agent of a plugin asks.
    writeFileSync(
      join(home.path, 'plugins', 'caller.js'),
      `import { defineAgent } from 'a2a-switchboard';
       export default defineAgent({ name: 'caller', description: 'x', run: async (p, { call }) => (await call('careful', p.text)).text });`,
    );
    await first.kill();
    const second = await start(home);
    const waits = await chat(second, 'caller', 'deploy');
    expect(waits.response).toContain('approval');
    const { tasks } = await ask<{ tasks: { cid: string }[] }>(second, 'GET', '/api/a2a/tasks?state=auth-required');
    expect(tasks).toHaveLength(1);
    await second.kill();
    const third = await start(home);
    expect(await input(third, { cid: asked.cid, answer: 'Ann' })).toMatchObject({ response: 'Hello Ann' });
    expect(await input(third, { cid: tasks[0]?.cid, decision: 'approve' })).toMatchObject({ response: 'done: deploy' });
    expect(readFileSync(marks, 'utf8')).toBe('x');
  });
});
