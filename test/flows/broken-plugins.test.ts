// Plugins that go wrong in every way: each is reported by name, and none of them is in the way of another agent.
import { describe, expect, it } from '@jest/globals';
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PluginHome, type PluginHomeOptions } from '../support/plugin-home.js';

const plugin = (name: string, body: string, more = ''): string => `
import { definePlugin } from 'a2a-switchboard';
export default definePlugin({ name: '${name}', ${more} install({ add, bus, core, settings, env, routes }) { ${body} } });`;

const GOOD = plugin('good', `add('agent', { name: 'good', description: 'works', run: () => 'fine' });`);
const agent = (name: string, body: string): string =>
  plugin(name, `add('agent', { name: '${name}', description: 'x', run: async (prompt, handle) => { ${body} } });`);

async function withGood(files: Record<string, string>, options: PluginHomeOptions = {}): Promise<PluginHome> {
  // Its name comes last, so that everything that is broken had its chance before.
  const server = await PluginHome.start({ ...files, 'zz-good.js': GOOD }, options);
  expect((await server.chat('good', 'still there?')).response).toBe('fine');
  return server;
}

/** The workspace's conversations are held by that driver from now on. */
function useDriver({ home }: PluginHome, name: string): void {
  const settings = join(home.path, 'workspaces', home.workspace, '.a2a', 'workspace.json');
  writeFileSync(settings, JSON.stringify({ v: 1, driver: { name } }));
}

describe('a plugin that can not start is reported, and the rest starts', () => {
  it.each<[string, string, RegExp]>([
    ['throws when it is loaded', `throw new Error('boom at load');`, /boom at load/],
    ['is no TypeScript', `export default {{{`, /can't be loaded/],
    ['exports no plugin', `export default 7;`, /default export/],
    ['exports it under a name', `export const it = { name: 'bad', install() {} };`, /default export must be/],
    ['is an agent as it stands', `export default { name: 'bad', run: () => 'x' };`, /what definePlugin or defineAgent/],
    ['misspells a need', plugin('bad', '', `needs: { plugin: ['x'] },`), /no member plugin; there are plugins,/],
    ['lists its needs', plugin('bad', '', `needs: ['x'],`), /needs must be an object/],
    [
      'misspells what must be approved',
      plugin('bad', `add('agent', { name: 'x', description: '', aproval: ['*'], run: () => 'x' });`),
      /agent x: there is no member aproval; there are .*approval/,
    ],
    [
      'tags a skill with one text',
      plugin(
        'bad',
        `add('agent', { name: 'x', description: '', skills: [{ id: 'a', tags: 'sea' }], run: () => 'x' });`,
      ),
      /agent x: skills must be .*tags and examples as lists/,
    ],
    [
      'serves routes for somebody unknown',
      plugin('bad', `routes('all', () => 0);`),
      /one of callers, operator, public/,
    ],
    [
      'reads what it did not declare',
      plugin('bad', `bus.subscribe('agent.outcome', () => 0);`),
      /in observes or consumes/,
    ],
    [
      'publishes what it did not declare',
      plugin('bad', `bus.publish('agent.prompt.cancel', { cid: 'x', by: 'y' });`),
      /list it in produces/,
    ],
    [
      'asks for a variable it did not declare',
      plugin('bad', `env('PATH');`),
      /PATH is not declared: list it in needs\.env/,
    ],
    ['throws when it is installed', plugin('bad', `throw new Error('boom at start');`), /boom at start/],
    ['rejects when it is installed', plugin('bad', `return Promise.reject(new Error('later'));`), /later/],
    ['throws when it gets ready', plugin('bad', `return { ready() { throw new Error('not yet'); } };`), /not yet/],
    ['adds an agent whose name is taken', agent('demo', ''), /already an agent named demo/],
    ['adds an agent without a function', plugin('bad', `add('agent', { name: 'x', description: '' });`), /run must be/],
    [
      'adds a guard whose agents are no list',
      plugin('bad', `add('guard', { name: 'g', agents: { includes() { throw 1; } }, check: () => undefined });`),
      /agents must be a list of names/,
    ],
    [
      'adds an authenticator without a name',
      plugin('bad', `add('authenticator', { name: Symbol('s'), authenticate: () => { throw 1; } });`),
      /it needs a name/,
    ],
    ['adds something unknown', plugin('bad', `add('thing', {});`), /takes the kind thing/],
    ['takes the name of a built-in', plugin('dispatcher', ''), /already a participant/],
    ['wants to be the dispatcher', plugin('bad', '', `consumes: ['agent.prompt.request'],`), /only the switchboard/],
    ['declares a topic there is not', plugin('bad', '', `produces: ['my.topic'],`), /my\.topic/],
    [
      'misses what it needs',
      plugin('bad', '', `needs: { plugins: ['other'], capabilities: ['none'], config: ['city'], env: ['A_KEY'] },`),
      /plugin other, the capability none, the setting pluginSettings.bad.city.*variable A_KEY/,
    ],
  ])('when it %s', async (_what, text, why) => {
    const server = await withGood({ 'bad.ts': text });
    const failed = server.switchboard.core.plugins.list().filter(({ state }) => state === 'failed');
    expect(failed).toEqual([
      expect.objectContaining({ source: 'plugins/bad.ts', problem: expect.stringMatching(why) }),
    ]);
    expect(server.logged).toContainEqual(
      expect.objectContaining({ problem: expect.stringMatching(why), source: 'plugins/bad.ts' }),
    );
    const ready = await server.call<{ status: string; plugins: unknown[] }>('GET', '/readyz');
    expect(ready).toMatchObject({ status: 200, body: { status: 'ready' } });
    expect(ready.body.plugins).toContainEqual(expect.objectContaining({ problem: expect.stringMatching(why) }));
  });

  it('and takes back what it added before it failed', async () => {
    const added = `add('agent', { name: 'half', description: '', run: () => 'x' });
      add('guard', { name: 'no', check: () => ({ message: 'no' }) });
      core.capabilities.provide('owner-notices'); throw new Error('then');`;
    const server = await withGood({ 'bad.js': plugin('bad', added) });
    expect(server.switchboard.core.registry.find('half', 'operator')).toBeUndefined();
    // Else agents would offer to tell owners, and nobody would.
    expect(server.switchboard.core.capabilities.has('owner-notices')).toBe(false);
  });

  it('and nothing that it still adds later, when it was too slow, counts', async () => {
    const later = `core.metrics.addLater = { agent: () => add('agent', { name: 'ghost', description: '', run: () => 'x' }),
      routes: () => routes('public', (router) => router.get('/x', (_req, res) => res.end('x'))),
      bus: () => bus.subscribe('agent.outcome', () => 0), publish: () => bus.publish('owner.notified', {}) };
      throw new Error('too slow');`;
    const declared = `observes: ['agent.outcome'], produces: ['owner.notified'],`;
    const server = await withGood({ 'bad.js': plugin('bad', later, declared) });
    const { addLater } = server.switchboard.core.metrics as unknown as { addLater: Record<string, () => unknown> };
    for (const add of Object.values(addLater)) expect(add).toThrow(/does not run/);
    expect(server.switchboard.core.registry.find('ghost', 'operator')).toBeUndefined();
    expect((await server.call('GET', '/plugins/bad/x')).status).toBe(404);
  });

  it('while two of one name leave the first, and those that others need come first', async () => {
    const server = await withGood({
      'a.js': plugin(
        'needy',
        `if (core.registry.find('base', 'operator') === undefined) throw new Error('too early');`,
        `needs: { plugins: ['base'] },`,
      ),
      'b.js': agent('base', `return 'first';`),
      'c.js': agent('base', `return 'second';`),
    });
    expect(server.report('needy')).toMatchObject({ state: 'running' });
    expect((await server.chat('base', 'x')).response).toBe('first');
    expect(server.report('plugins/c.js')).toMatchObject({ state: 'failed', problem: expect.stringContaining('base') });
  });
});

describe('a plugin that goes wrong while it runs is reported, and harms nobody', () => {
  it('when its agent throws, or returns what is no answer', async () => {
    const server = await withGood({
      'a.js': agent('thrower', `throw new Error('a secret detail');`),
      'b.js': agent('odd', `return { no: 'answer' };`),
    });
    const view = await server.chat('thrower', 'x');
    expect(view).toMatchObject({ taskState: 'failed', response: 'The run failed unexpectedly.' });
    expect(server.report('thrower')).toMatchObject({
      faults: 1,
      lastFault: expect.stringContaining('a secret detail'),
    });
    expect(await server.chat('odd', 'x')).toMatchObject({ taskState: 'failed' });
    expect(server.report('odd')).toMatchObject({ lastFault: expect.stringContaining('text or a list of parts') });
  });

  it('with the place in its own code, also where the switchboard threw, and whatever part of it failed', async () => {
    const server = await withGood({
      'asker.js': agent('asker', `\n\nawait handle.ask('no id', 'What?');`),
      'schema.js': agent('schema', `\n\nawait handle.ask('id', 'What?', { schema: { least: 1n } });`),
      'guard.js': plugin(
        'guard',
        `add('guard', { name: 'g', agents: ['asker'], check: ({ message }) => {\n\n
        if (message.parts[0].text === 'refuse me') null.x; return undefined; } });`,
      ),
      'who.js': plugin(
        'who',
        `add('authenticator', { name: 'w', authenticate: (headers) => {\n\n
        if (headers['x-who']) null.x; return undefined; } });`,
      ),
    });
    for (const [name, text] of Object.entries({ schema: 'x', asker: 'x' })) await server.chat(name, text);
    await server.chat('asker', 'refuse me');
    await fetch(`${server.url}/a2a/tasks`, { headers: { 'X-Who': 'me', 'A2A-Version': '1.0' } });
    expect(server.report('asker')?.lastFault).toMatch(/the id must be 1 to 64 .*\(asker\.js:\d+\)$/);
    expect(server.report('schema')?.lastFault).toMatch(
      /ask\('id'\): the schema must be plain JSON \(schema\.js:\d+\)$/,
    );
    expect(server.report('guard')?.lastFault).toMatch(/its guard g failed: .*null.* \(guard\.js:\d+\)$/);
    expect(server.report('who')?.lastFault).toMatch(/its authenticator w failed: .*\(who\.js:\d+\)$/);
  });

  it('when what its agent throws can not be read, or is endless: it is counted as its own, in a line that can be read', async () => {
    const server = await withGood({
      'a.js': agent(
        'hostile',
        `throw Object.defineProperty(new Error('x'), 'message', { get() { throw new Error('in the getter'); } });`,
      ),
      'b.js': agent('endless', `throw new Error('x'.repeat(1_000_000));`),
    });
    for (const name of ['hostile', 'endless']) {
      expect(await server.chat(name, 'x')).toMatchObject({ response: 'The run failed unexpectedly.' });
      expect(server.report(name)).toMatchObject({ faults: 1 });
    }
    expect(server.report('hostile')?.lastFault).toMatch(/agent hostile failed: it threw a value that can not be read/);
    expect(Math.max(...server.logged.map((line) => JSON.stringify(line).length))).toBeLessThan(20_000);
  });

  it('when its handler throws, or publishes what it may not, or what is no payload', async () => {
    const watching = `observes: ['agent.outcome'], produces: ['owner.notified'],`;
    const server = await withGood({
      'a.js': plugin('t', `bus.subscribe('agent.outcome', () => { throw new Error('in a handler'); });`, watching),
      'b.js': plugin('u', `bus.subscribe('agent.outcome', () => bus.publish('task.updated', {}));`, watching),
      'c.js': plugin(
        'w',
        `bus.subscribe('agent.outcome', () => bus.publish('owner.notified', { text: 7 }));`,
        watching,
      ),
      'd.js': plugin(
        'm',
        `bus.subscribe('agent.outcome', (outcome) => { outcome.cid = 'x'; outcome.agent = 'y'; });`,
        watching,
      ),
      'e.js': plugin(
        'n',
        `bus.subscribe('agent.outcome', ({ cid }) => { if (cid === 'x') throw new Error('spoilt'); });`,
        watching,
      ),
    });
    await server.switchboard.bus.drain();
    await server.chat('good', 'again');
    await server.switchboard.bus.drain();
    expect(server.report('t')?.lastFault).toMatch(/handler of agent.outcome failed: .*in a handler/);
    expect(server.report('u')?.lastFault).toMatch(/not declared that it produces task.updated/);
    expect(server.report('w')?.lastFault).toMatch(/wrong payload for owner.notified: .*text/);
    // What one plugin does to a payload is nothing that the next one sees.
    expect([server.report('m'), server.report('n')]).toMatchObject([{ faults: 0 }, { faults: 0 }]);
    expect((await server.chat('good', 'and again')).response).toBe('fine');
  });

  it('when its agent never settles: the deadline ends the turn, and its conversation is free again', async () => {
    const server = await withGood(
      { 'a.js': agent('stuck', `await new Promise(() => undefined);`) },
      { settings: { turnDeadline: 0.2 } },
    );
    const view = await server.chat('stuck', 'x');
    expect(view).toMatchObject({ taskState: 'failed', error: { code: 'deadline' } });
    expect((await server.chat('good', 'x')).response).toBe('fine');
  });

  it('when its guard refuses in endless words', async () => {
    const endless = `add('guard', { name: 'g', agents: ['demo'], check: () => ({ message: 'x'.repeat(1_000_000) }) });`;
    const server = await withGood({ 'a.js': plugin('g', endless) });
    const { status, body } = await server.call('POST', '/api/a2a/chat', { agent: 'demo', message: 'x' });
    expect(status).toBe(403);
    expect(JSON.stringify(body).length).toBeLessThan(2_000);
  });

  it('when what its route throws can not be read: the answer is JSON, and shows no stack', async () => {
    const hostile = `Object.defineProperty(new Error('x'), 'status', { get() { throw new Error('hostile'); } })`;
    const proxy = `new Proxy({}, { get() { throw new Error('a'); }, getPrototypeOf() { throw new Error('b'); } })`;
    const server = await withGood({
      'a.js': plugin(
        'web',
        `routes('public', (router) => router.get('/a', () => { throw ${hostile}; }).get('/b', () => { throw ${proxy}; }));`,
      ),
    });
    for (const path of ['a', 'b']) {
      const { status, body } = await server.call('GET', `/plugins/web/${path}`);
      expect([status, body]).toEqual([500, { error: expect.objectContaining({ code: 'internal' }) }]);
    }
    expect(server.report('web')).toMatchObject({ faults: 2 });
  });

  it.each([
    ['opens no session', `open: () => undefined`, /driver bad failed/],
    ['throws something that can not be read', `open: () => { throw Object.create(null); }`, /can not be read/],
    [
      'throws such a thing in the middle of a turn',
      `open: () => ({ run: async () => { throw new Proxy({}, { getPrototypeOf() { throw 1; } }); }, close() {} })`,
      /can not be read/,
    ],
    ['ends its turn without saying how', `open: () => ({ run: async () => null, close() {} })`, /without saying how/],
  ])('when its driver %s: its conversation is free again', async (_what, members, fault) => {
    const server = await withGood({ 'a.js': plugin('bad', `add('driver', { name: 'bad', ${members} });`) });
    useDriver(server, 'bad');
    for (const _ of [1, 2]) {
      const view = await server.chat('demo', 'x', { contextId: 'c-1' });
      expect(view).toMatchObject({ taskState: 'failed', error: { code: 'unexpected' } });
    }
    expect(server.report('bad')).toMatchObject({ faults: 2, lastFault: expect.stringMatching(fault) });
  });

  it('when its driver shows texts that are none, or tells of a use that is none', async () => {
    const run = `async run(turn, emit) { emit({ type: turn.text, tool: 7, text: 7n }); return { type: 'done', usage: 'all' }; }`;
    const server = await withGood({
      'a.js': plugin('bad', `add('driver', { name: 'bad', open: () => ({ ${run}, close() {} }) });`),
    });
    useDriver(server, 'bad');
    for (const type of ['status', 'delta', 'tool-started']) {
      expect(await server.chat('demo', type)).toMatchObject({ taskState: 'failed' });
    }
    expect(server.logged.filter(({ msg }) => msg === 'storing failed')).toEqual([]);
  });

  it('when its driver is started and stopped, it is so once, after its sessions, and may fail at it', async () => {
    const members = `start: () => core.metrics.said.push('start'), stop: () => { core.metrics.said.push('stop'); throw 1; },
      open: () => ({ run: async () => ({ type: 'rejected', text: 'no' }), close: () => core.metrics.said.push('close') })`;
    const server = await withGood({
      'a.js': plugin('told', `core.metrics.said = []; add('driver', { name: 'told', ${members} });`),
    });
    useDriver(server, 'told');
    await server.chat('demo', 'x');
    await server.stop();
    expect(server.switchboard.core.metrics).toMatchObject({ said: ['start', 'close', 'stop'] });
  });

  it('when its route fails', async () => {
    const server = await withGood({
      'a.js': plugin(
        'web',
        `routes('public', (router) => router.get('/hi', () => { throw new Error('in a route'); }));`,
      ),
    });
    expect((await server.call('GET', '/plugins/web/hi')).status).toBe(500);
    expect(server.report('web')?.lastFault).toMatch(/route GET \/plugins\/web\/hi failed: .*in a route \(a\.js:\d+\)$/);
  });

  it('not when a client did something wrong, or its route refuses in words for the client', async () => {
    const routes = `routes('public', (router) => router
      .get('/of/:who', (req) => { throw new AppError('not-found', 'There is no ' + req.params.who + '.'); })
      .get('/secret/:token', () => { throw new Error('in a route'); }));`;
    const server = await withGood({ 'a.js': `import { AppError } from 'a2a-switchboard';${plugin('web', routes)}` });
    expect((await server.call('GET', '/plugins/web/of/%E0%A4%A')).status).toBe(400);
    expect(await server.call('GET', '/plugins/web/of/ann')).toMatchObject({
      status: 404,
      body: { error: { message: 'There is no ann.' } },
    });
    expect(server.report('web')).toMatchObject({ faults: 0 });
    await server.call('GET', '/plugins/web/secret/k-123');
    expect(server.report('web')?.lastFault).toMatch(/GET \/plugins\/web\/secret\/:token failed/);
  });
});

describe('what lies in the folder of plugins and can not be read is reported, and the rest starts', () => {
  it('a link that leads round in a circle', async () => {
    const server = await withGood({}, { before: (folder) => symlinkSync('round.js', join(folder, 'round.js')) });
    expect(server.report('plugins/round.js')).toMatchObject({ state: 'failed' });
  });

  it('the whole folder, where it is none', async () => {
    const server = await PluginHome.start({}, { before: (folder) => writeFileSync(folder, 'no folder') });
    expect(server.report('plugins')).toMatchObject({ state: 'failed', problem: expect.stringMatching(/ENOTDIR/) });
    expect((await server.chat('demo', 'hello')).response).toBe('echo: hello');
  });

  it('and one behind a link is known by the place where its code really lies', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'plugin-'));
    const target = join(realpathSync(elsewhere), 'code.js');
    writeFileSync(target, agent('linked', `return 'fine';`));
    const server = await withGood({}, { before: (folder) => symlinkSync(target, join(folder, 'linked.js')) });
    expect((await server.chat('linked', 'x')).response).toBe('fine');
    expect(server.switchboard.core.plugins.whose(`at go (${target}:3:7)`)).toBe('linked');
    rmSync(elsewhere, { recursive: true });
  });
});
