// Command init: a new workspace in the home. A running server sees it at once.
import type { Command } from 'commander';
import { AppError } from '../errors.js';
import { checkDriver } from '../workspace/driver-settings.js';
import { print, settings, type Context } from './context.js';
import { localHome } from './local-home.js';

interface Wishes {
  description?: string;
  caller?: string;
  llm?: string;
  model?: string;
  keyEnv?: string;
}

export function addInit(program: Command, context: Context): void {
  context.act<[string], Wishes>(
    program
      .command('init <name>')
      .description('make a workspace')
      .option('--description <text>', 'what its card says')
      .option('--caller <name>', 'add a caller too, and print its key')
      .option('--llm <url>', "a language model answers: its endpoint's base URL, e.g. http://127.0.0.1:11434/v1")
      .option('--model <name>', 'which model')
      .option('--key-env <variable>', 'the environment variable that holds its key'),
    async (options, name) => {
      if (options.url !== undefined) {
        throw new AppError('invalid-params', 'A workspace is a folder: make it on the machine that holds the home.');
      }
      const { workspaces, callers } = localHome(settings(context, options).home);
      const { description } = options;
      const driver = driverOf(options);
      workspaces.create(name, {
        ...(description !== undefined && { card: { name, description } }),
        ...(driver && { settings: { driver } }),
      });
      const key = options.caller === undefined ? undefined : await callers.add(name, options.caller);
      const path = workspaces.path(name);
      return print(context, options, { name, path, key }, () => [
        `Made ${path}. What the assistant is, stands in its AGENTS.md.`,
        ...(key === undefined
          ? [`Give somebody a key with: switchboard callers add ${name}/<caller>`]
          : [`The key of ${name}/${options.caller}, shown only this once:`, key]),
      ]);
    },
  );
}

function driverOf({ llm, model, keyEnv }: Wishes): object | undefined {
  if (llm !== undefined && model !== undefined) {
    const driver = { name: 'llm', baseUrl: llm, model, ...(keyEnv !== undefined && { keyEnv }) };
    checkDriver(driver);
    return driver;
  }
  if (llm === undefined && model === undefined && keyEnv === undefined) return undefined;
  throw new AppError('invalid-params', 'A language model needs both --llm and --model.');
}
