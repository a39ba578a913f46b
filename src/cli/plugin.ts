// Commands about plugins: list, new and test.
import type { Command } from 'commander';
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { AppError } from '../errors.js';
import type { Config } from '../config.js';
import { pluginsDir } from '../home.js';
import { findPlugins } from '../installation/find-plugins.js';
import { moduleImporter } from '../installation/import-plugin.js';
import type { PluginsAnswer } from '../operator-wire.js';
import { nameProblem } from '../workspace/names.js';
import { client, print, settings, type Context } from './context.js';
import { EXIT } from './exit-codes.js';
import { pluginTemplate, pluginTestTemplate } from './plugin-template.js';
import { table } from './render.js';

/** Named so that it is found by the package's own exports, as an author finds it. */
const TESTING = 'a2a-switchboard/testing';
const TEST = /\.test\.(?:m|c)?(?:j|t)s$/;

export function addPlugin(program: Command, context: Context): void {
  const plugin = program.command('plugin').description('plugins of the home');

  context.act<[], object>(plugin.command('list').description('how the plugins fare'), async (options) => {
    const { plugins } = await client(context, options).plugins();
    const waiting = options.url === undefined ? notTakenUp(settings(context, options), plugins) : [];
    return print(context, options, { plugins }, () => [
      ...table(
        ['PLUGIN', 'STATE', 'FAULTS', 'SOURCE', 'ADDS'],
        plugins.map((one) => [one.name, one.state, String(one.faults), one.source, one.adds.join(', ')]),
      ),
      ...plugins.flatMap(({ name, problem, lastFault }) =>
        [problem, lastFault].flatMap((text) => (text === undefined ? [] : [`${name}: ${text}`])),
      ),
      ...waiting.map((source) => `${source} was added since the server started: start it again to have it run.`),
    ]);
  });

  context.act<[string], object>(
    plugin.command('new <name>').description('write a plugin with an agent that works, and its test'),
    (options, name) => {
      const problem = nameProblem(name);
      if (problem !== undefined) throw new AppError('invalid-params', `The name of a plugin ${problem}.`);
      const folder = pluginsDir(settings(context, options).home);
      const files = { [`${name}.ts`]: pluginTemplate(name), [`${name}.test.ts`]: pluginTestTemplate(name) };
      const taken = Object.keys(files).find((file) => existsSync(join(folder, file)));
      if (taken !== undefined) throw new AppError('invalid-params', `There is ${join(folder, taken)} already.`);
      mkdirSync(folder, { recursive: true });
      for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text, { flag: 'wx' });
      const paths = Object.keys(files).map((file) => join(folder, file));
      return print(context, options, { name, files: paths }, () => [
        ...paths.map((path) => `Wrote ${path}`),
        `Test it with: switchboard plugin test ${name}`,
        'A server takes it up when it starts.',
      ]);
    },
  );

  context.act<[string | undefined], object>(
    plugin.command('test [name]').description("run a plugin's tests, or all"),
    async (options, name) => {
      const folder = pluginsDir(settings(context, options).home);
      const own = (file: string): boolean => [`${name}.`, `${name}${sep}`].some((start) => file.startsWith(start));
      const files = testsIn(folder).filter((file) => name === undefined || own(file));
      if (files.length === 0)
        throw new AppError(
          'not-found',
          `There is no ${name ?? '*'}.test.ts or .js in ${folder}, nor in a folder there.`,
        );
      const importModule = moduleImporter(folder, { [TESTING]: await import(TESTING) });
      // Node's own test runner reports at the end of the process, and sets the exit code.
      for (const file of files) await settled(file, importModule({ module: join(folder, file), path: folder }));
      return EXIT.ok;
    },
  );
}

/** A file may take its time, but one that waits for what never comes would end the process without a word. */
function settled(file: string, imported: Promise<unknown>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const idle = (): void => reject(new Error(`${file} waits, at its top level, for something that never comes.`));
    process.once('beforeExit', idle);
    void imported.then(resolve, reject).finally(() => process.off('beforeExit', idle));
  });
}

/** What lies in the home's folder and the server of the home did not find when it started, as paths below the home. */
const notTakenUp = ({ home, plugins: packages }: Config, running: PluginsAnswer['plugins']): string[] => {
  const known = new Set(running.map(({ source }) => source));
  return findPlugins(pluginsDir(home), packages)
    .map(({ source }) => source)
    .filter((source) => !known.has(source));
};

/** Those of files and those in folders, packages' own packages apart; paths below the folder. */
const testsIn = (folder: string, below = ''): string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => !name.startsWith('.') && name !== 'node_modules')
        .sort()
        .flatMap((name) => {
          const path = join(below, name);
          if (statSync(join(folder, name), { throwIfNoEntry: false })?.isDirectory())
            return testsIn(join(folder, name), path);
          return TEST.test(name) ? [path] : [];
        })
    : [];
