// Plugins from packages that the settings name: the compiled server in a process of its own, since a test runner resolves
// modules in its own way, and real folders of node_modules beside its home.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PluginsAnswer, TaskView } from '../../src/operator-wire.js';
import { ensureBuilt, startSwitchboard } from '../support/compiled-server.js';
import type { ServerChild } from '../support/server-child.js';
import { makeTestHome, OPERATOR_KEY, type TestHome } from '../support/test-home.js';

type Files = Record<string, string>;

/** Files of a package by their paths in the home. */
const packaged = (name: string, description: object, files: Files, place = 'node_modules'): Files =>
  Object.fromEntries(
    Object.entries({ 'package.json': JSON.stringify({ name, ...description }), ...files }).map(([file, text]) => [
      `${place}/${name}/${file}`,
      text,
    ]),
  );

const body = (name: string, answer: string): string =>
  `({ name: '${name}', description: 'x', run: ({ text }) => {
     if (text === 'fail') throw new RunFailure('known words');
     return ${answer};
   } })`;
const esm = (name: string, answer = `'${name}'`): string =>
  `import { defineAgent, RunFailure } from 'a2a-switchboard';\nexport default defineAgent(${body(name, answer)});`;
const cjs = (name: string, assign = 'module.exports ='): string =>
  `const { defineAgent, RunFailure } = require('a2a-switchboard');\n${assign} defineAgent(${body(name, `'${name}'`)});`;
const index = (text: string): Files => ({ 'index.js': text });
const needing = (name: string, needs: object): Files =>
  packaged(name, {}, index(`module.exports = { name: '${name}', needs: ${JSON.stringify(needs)}, install() {} };`));

const USABLE: Files = {
  ...packaged(
    'whale',
    { type: 'module', exports: './lib/main.js' },
    {
      'lib/main.js': `import { word } from './word.js'; import dep from 'whale-dep';\n${esm('whale', 'word + dep.word')}`,
      'lib/word.js': `export const word = await Promise.resolve('wha');`,
    },
  ),
  ...packaged('whale-dep', { main: 'i.js' }, { 'i.js': `module.exports = { word: 'le' };` }),
  ...packaged('crab', { main: 'index.js' }, index(cjs('crab'))),
  ...packaged(
    'shrimp',
    { main: 'dist/i.js' },
    {
      'dist/i.js': `Object.defineProperty(exports, '__esModule', { value: true });\n${cjs('shrimp', 'exports.default =')}`,
    },
  ),
  ...packaged(
    'squid',
    { type: 'module', exports: './src/index.ts' },
    {
      'src/index.ts': `import { word } from './word.js';\nconst answer: string = word;\n${esm('squid', 'answer')}`,
      'src/word.ts': `export const word: string = 'squid';`,
    },
  ),
  ...packaged('clam', {}, index(cjs('clam'))),
  // Another copy, as a package that depends on the switchboard brings it along.
  ...packaged(
    'a2a-switchboard',
    { type: 'module', main: 'i.js' },
    {
      'i.js': `export class RunFailure extends Error {}; export const defineAgent = () => { throw new Error('a copy'); };`,
    },
  ),
};

const OTHERS: Files = {
  ...packaged(
    '@acme/fish',
    { type: 'module', exports: { '.': './none.js', './plugin': './p.js' } },
    {
      'none.js': 'export const nothing = 1;',
      'p.js': esm('fisher'),
    },
  ),
  ...packaged('twice', {}, index(cjs('near')), 'plugins/node_modules'),
  ...packaged('twice', {}, index(cjs('far'))),
  ...needing('needy', { plugins: ['base'], config: ['city'] }),
  ...needing('base', {}),
  ...needing('poor', { plugins: ['nowhere'], config: ['city'], env: ['NOT_SET'] }),
  ...packaged(
    'later',
    { main: 'lib/index.js' },
    {
      'lib/index.js': `const { defineAgent } = require('a2a-switchboard');
      module.exports = defineAgent({ name: 'lazy', description: 'x', run: () => { require('../other/late.js')(); return 'ok'; } });`,
      'other/late.js': `module.exports = () => void setTimeout(() => { throw new Error('thrown later'); }, 1);`,
    },
  ),
  'plugins/absent.js': `import { definePlugin } from 'a2a-switchboard';
    export default definePlugin({ name: 'absent', observes: ['agent.outcome'], install({ bus }) {
      bus.subscribe('agent.outcome', () => { throw new Error('in a handler'); }); } });`,
};

/** Packages that lie in the folder of plugins themselves; what they import is the same. */
const FOLDERS: Files = {
  ...packaged(
    'oyster',
    { type: 'module', exports: { '.': { types: './no.d.ts', import: './src/main.ts' } }, main: 'no.js' },
    {
      'src/main.ts': `import { word } from './word.ts';\n${esm('oyster', 'word')}`,
      'src/word.ts': `export const word = 'oyster';`,
    },
    'plugins',
  ),
  ...packaged('limpet', { main: 'lib' }, { 'lib/index.js': cjs('limpet') }, 'plugins'),
  'plugins/mussel/index.ts': `import { word } from '../words/word.ts';\n${esm('mussel', 'word')}`,
  'plugins/words/word.ts': `export const word = 'mussel';`,
  'plugins/words/package.json': `{ "type": "module" }`,
};

/** By folder: what is in it, and what is said of it. */
const BROKEN_FOLDERS: Record<string, [Files, RegExp]> = {
  nameless: [
    { 'plugins/nameless/package.json': `{ "exports": "./i.js" }`, 'plugins/nameless/i.js': esm('x') },
    /needs a name/,
  ],
  nowhere: [packaged('nowhere', {}, { 'src/i.ts': esm('x') }, 'plugins'), /neither exports nor main/],
  unbuilt: [packaged('unbuilt', { exports: './dist/i.js' }, {}, 'plugins'), /unbuilt\/dist\/i\.js/],
  unlisted: [packaged('unlisted', { exports: { './x': './x.js' } }, {}, 'plugins'), /No "exports" main/],
  torn: [{ 'plugins/torn/package.json': '{' }, /its package\.json can't be read/],
  listed: [{ 'plugins/listed/package.json': '7' }, /holds no object/],
};

/** By package: what is in it, and what is said of it. */
const BROKEN: Record<string, [Files, RegExp]> = {
  absent: [{}, /no such package: .*node_modules/],
  '../elsewhere/plugin.js': [{}, /no name of a package/],
  empty: [packaged('empty', {}, index('')), /default export must be what definePlugin/],
  other: [packaged('other', {}, index('module.exports = () => 1;')), /default export must be/],
  named: [
    packaged('named', { type: 'module' }, index(esm('named').replace('default', 'const it ='))),
    /default export/,
  ],
  throws: [packaged('throws', {}, index(`\nthrow new Error('boom');`)), /boom \(throws\/index\.js:2\)$/],
  unread: [packaged('unread', {}, index('const = 1;')), /unread\/index\.js:1/],
  wants: [packaged('wants', {}, index(`require('not-there');`)), /Cannot find module 'not-there'/],
  typo: [
    packaged('typo', {}, index(`const { defineAgnet } = require('a2a-switchboard');\ndefineAgnet({});`)),
    /defineAgnet is not a function \(typo\/index\.js:2\)$/,
  ],
  nofile: [packaged('nofile', { main: 'no.js' }, {}), /nofile\/no\.js/],
  parts: [packaged('parts', { exports: { './x': './x.js' } }, {}), /No "exports" main/],
  badjson: [{ 'node_modules/badjson/package.json': '{' }, /badjson\/package\.json/],
};

let home: TestHome;
let server: ServerChild;
let plugins: PluginsAnswer['plugins'];

async function ask<T>(method: string, path: string, request?: object): Promise<T> {
  const headers = { 'X-API-Key': OPERATOR_KEY, 'Content-Type': 'application/json' };
  const response = await fetch(server.url + path, {
    method,
    headers,
    ...(request && { body: JSON.stringify(request) }),
  });
  return (await response.json()) as T;
}
const chat = (agent: string, message: string): Promise<TaskView> => ask('POST', '/api/a2a/chat', { agent, message });
const reports = async (): Promise<typeof plugins> => (await ask<PluginsAnswer>('GET', '/api/a2a/plugins')).plugins;

beforeAll(async () => {
  ensureBuilt();
  const names = ['whale', 'crab', 'crab', 'shrimp', 'squid', 'clam', '@acme/fish/plugin', 'twice', 'commander'];
  const settings = {
    plugins: [...names, 'needy', 'poor', 'base', 'later', ...Object.keys(BROKEN)],
    pluginSettings: { needy: { city: 'Ulm' } },
  };
  home = makeTestHome({ settings });
  const broken = [...Object.values(BROKEN), ...Object.values(BROKEN_FOLDERS)].map(([some]) => some);
  const files = { ...USABLE, ...OTHERS, ...FOLDERS, ...Object.assign({}, ...broken) } as Files;
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home.path, name)), { recursive: true });
    writeFileSync(join(home.path, name), text);
  }
  server = await startSwitchboard({ home: home.path });
  plugins = await reports();
}, 300_000);

afterAll(async () => {
  await server.stop();
  home.remove();
});

describe('a package that the settings name', () => {
  it.each([
    ['of JavaScript modules, with files and packages of its own,', 'whale'],
    ['of CommonJS', 'crab'],
    ['that was compiled to CommonJS', 'shrimp'],
    ['of TypeScript sources', 'squid'],
    ['without a word on what to import', 'clam'],
  ])('%s runs, and means the same errors as the switchboard', async (_what, name) => {
    // On a busy machine a package that has to be translated first may count as one that blocks the event loop.
    expect(plugins.filter(({ source }) => source === name)).toMatchObject([
      { name, source: name, state: 'running', adds: [`agent ${name}`] },
    ]);
    expect((await chat(name, 'hi')).response).toBe(name);
    expect((await chat(name, 'fail')).error).toEqual({ code: 'run-failed', message: 'known words' });
  });

  it('may have a scope, be named by a path within it, and call its plugin otherwise', () => {
    expect(plugins).toContainEqual(
      expect.objectContaining({ name: 'fisher', source: '@acme/fish/plugin', state: 'running' }),
    );
  });

  it('is taken from beside the plugins before the folders above, and last from where the switchboard is', () => {
    expect(plugins).toContainEqual(expect.objectContaining({ source: 'twice', name: 'near', state: 'running' }));
    // A package of the switchboard's own: it is found, and is no plugin.
    const problem = expect.stringContaining('default export must be');
    expect(plugins).toContainEqual(expect.objectContaining({ source: 'commander', problem }));
  });

  it('may need settings and other packages, in whatever order they are named', () => {
    const needy = plugins.filter(({ name }) => name === 'needy' || name === 'poor');
    const problem =
      'it needs the plugin nowhere, the setting pluginSettings.poor.city in switchboard.json, the environment variable NOT_SET';
    expect(needy).toEqual([
      expect.objectContaining({ name: 'needy', state: 'running' }),
      expect.objectContaining({ name: 'poor', state: 'failed', problem }),
    ]);
  });

  it('is blamed for what goes wrong later in any of its folders', async () => {
    await chat('lazy', 'x');
    await chat('demo', 'wait 50; say done');
    expect((await reports()).find(({ name }) => name === 'lazy')).toMatchObject({
      faults: 1,
      lastFault: expect.stringContaining('thrown later'),
    });
  });
});

describe('a package in the folder of plugins', () => {
  it.each(['oyster', 'limpet', 'mussel'])(
    'is imported as its description says, else by its index: %s',
    async (name) => {
      const source = `plugins/${name}`;
      expect(plugins.filter((plugin) => plugin.source === source)).toEqual([
        { name, source, state: 'running', adds: [`agent ${name}`], faults: 0 },
      ]);
      expect((await chat(name, 'hi')).response).toBe(name);
    },
  );

  it.each(Object.entries(BROKEN_FOLDERS))('is reported where that leads nowhere: %s', (name, [, why]) => {
    const report = plugins.filter(({ source }) => source === `plugins/${name}`);
    expect(report).toEqual([expect.objectContaining({ state: 'failed', problem: expect.stringMatching(why) })]);
  });

  it('is none where files of several plugins lie', () => {
    expect(plugins.filter(({ source }) => source === 'plugins/words')).toEqual([]);
  });
});

describe('a package that can not be used', () => {
  it.each(Object.entries(BROKEN))('is reported by its name, with the reason: %s', (name, [, why]) => {
    const report = plugins.filter(({ source }) => source === name);
    expect(report).toEqual([{ name, source: name, state: 'failed', adds: [], faults: 0, problem: expect.anything() }]);
    expect(report[0]?.problem).toMatch(why);
    expect(report[0]?.problem).not.toMatch(/\n|Require stack/);
    const logged = server
      .stderr()
      .split('\n')
      .filter((line) => line.includes('a plugin does not run'));
    expect(logged.map((line) => (JSON.parse(line) as { source: string }).source)).toContain(name);
  });

  it('is not taken for a plugin in a file that has its name', async () => {
    await chat('demo', 'hi');
    const named = (await reports()).filter(({ name }) => name === 'absent');
    expect(named).toEqual([
      expect.objectContaining({ source: 'plugins/absent.js', state: 'running', lastFault: expect.anything() }),
      expect.objectContaining({ source: 'absent', state: 'failed', faults: 0 }),
    ]);
  });
});
