// `switchboard plugin test` as an author runs it: the compiled command on a home with plugins in files and in folders.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ENTRY, ensureBuilt } from '../support/compiled-server.js';
import { makeTestHome, type TestHome } from '../support/test-home.js';

const named = (title: string): string => `import { test } from 'node:test';\ntest('${title}', () => undefined);\n`;
const FILES = {
  'alone.test.ts': named('of a file'),
  'alone-too.test.ts': named('of another file'),
  'packed/index.test.ts': named('of a folder'),
  'packed/src/deep.test.mjs': named('deep in a folder'),
  'packed/node_modules/other/i.test.js': named('of somebody else'),
};

let home: TestHome;

beforeAll(() => {
  ensureBuilt();
  home = makeTestHome({});
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(home.path, 'plugins', name)), { recursive: true });
    writeFileSync(join(home.path, 'plugins', name), text);
  }
}, 300_000);

afterAll(() => home.remove());

function tested(...name: string[]): { titles: string[]; status: number | null; said: string } {
  const env = { ...process.env, SWITCHBOARD_HOME: home.path, NODE_TEST_CONTEXT: undefined };
  const { stdout, stderr, status } = spawnSync(process.execPath, [ENTRY, 'plugin', 'test', ...name], { env });
  const titles = [...String(stdout).matchAll(/^(?:# Subtest:|\u2714|ok \d+ -) (.*?)(?: \(.*)?$/gm)].map(
    ([, title]) => title as string,
  );
  return { titles: [...new Set(titles)].sort(), status, said: String(stderr) };
}

describe('a file that waits for what never comes', () => {
  const never = `await new Promise(() => undefined);\nexport default { name: 'never', install() {} };\n`;
  const write = (file: string): void => writeFileSync(join(home.path, 'plugins', file), never);
  const drop = (file: string): void => rmSync(join(home.path, 'plugins', file));

  it('is named when it is a test', () => {
    write('never.test.mjs');
    expect(tested('never')).toMatchObject({
      status: 1,
      said: expect.stringMatching(/never\.test\.mjs waits, at its top/),
    });
    drop('never.test.mjs');
  }, 60_000);

  it('is named by doctor when it is a plugin, and all else is checked', () => {
    write('never.mjs');
    const env = { ...process.env, SWITCHBOARD_HOME: home.path };
    const { stdout, status } = spawnSync(process.execPath, [ENTRY, 'doctor'], { env });
    expect(String(stdout)).toMatch(/plugins\/never\.mjs: it can't be loaded: loading did not finish within 10 s/);
    expect(String(stdout)).toMatch(/ok +workspaces: /);
    expect(status).toBe(1);
    drop('never.mjs');
  }, 60_000);
});

describe('the tests of plugins', () => {
  it("are run by the plugin's name, whether it is a file or a folder", () => {
    expect(tested('alone')).toMatchObject({ titles: ['of a file'], status: 0 });
    expect(tested('packed')).toMatchObject({ titles: ['deep in a folder', 'of a folder'], status: 0 });
  }, 60_000);

  it('are run all together without a name, those of other packages apart', () => {
    expect(tested().titles).toEqual(['deep in a folder', 'of a file', 'of a folder', 'of another file']);
    expect(tested('nobody')).toMatchObject({ titles: [], said: expect.stringContaining('nobody.test.ts') });
  }, 60_000);
});
