// Plugins that go wrong in every way: each is reported by name, and none of them is in the way of another agent.
import { describe, expect, it } from '@jest/globals';
import { PluginHome } from '../support/plugin-home.js';

const plugin = (name: string, body: string, more = ''): string => `
import { definePlugin } from 'a2a-switchboard';
export default definePlugin({ name: '${name}', ${more} install({ add, bus, core, settings, env, routes }) { ${body} } });`;

const GOOD = plugin('good', `add('agent', { name: 'good', description: 'works', run: () => 'fine' });`);
const agent = (name: string, body: string): string =>
  plugin(name, `add('agent', { name: '${name}', description: 'x', run: async (prompt, handle) => { ${body} } });`);

async function withGood(files: Record<string, string>, options = {}): Promise<PluginHome> {
  // Its name comes last, so that everything that is broken had its chance before.
  const server = await PluginHome.start({ ...files, 'zz-good.js': GOOD }, options);
  expect((await server.chat('good', 'still there?')).response).toBe('fine');
  return server;
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
      add('guard', { name: 'no', check: () => ({ message: 'no' }) }); throw new Error('then');`;
    const server = await withGood({ 'bad.js': plugin('bad', added) });
    expect(server.switchboard.core.registry.find('half', 'operator')).toBeUndefined();
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

  it('when its route fails', async () => {
    const server = await withGood({
      'a.js': plugin(
        'web',
        `routes('public', (router) => router.get('/hi', () => { throw new Error('in a route'); }));`,
      ),
    });
    expect((await server.call('GET', '/plugins/web/hi')).status).toBe(500);
    expect(server.report('web')?.lastFault).toMatch(/route GET .*in a route/);
  });
});
