// Command init: a new workspace in the home, and with --acp an agent that runs it, tried with one prompt. A running
// server sees the workspace at once.
import type { Command } from 'commander';
import { AppError } from '../errors.js';
import { chosenDriver, type DriverOptions } from './chosen-driver.js';
import { print, settings, type Context } from './context.js';
import { EXIT } from './exit-codes.js';
import { localHome } from './local-home.js';
import { taskExit, taskLines } from './render.js';
import { tryWorkspace } from './try-workspace.js';

interface Options extends DriverOptions {
  description?: string;
  caller?: string;
}

export function addInit(program: Command, context: Context): void {
  context.act<[string], Options>(
    program
      .command('init <name>')
      .description('make a workspace')
      .option('--description <text>', 'what its card says')
      .option('--caller <name>', 'add a caller too, and print its key')
      .option('--llm <url>', "a language model answers: its endpoint's base URL, e.g. http://127.0.0.1:11434/v1")
      .option('--model <name>', 'which model')
      .option('--key-env <variable>', 'with --llm: the environment variable that holds its key')
      .option(
        '--acp <command>',
        'run it with this agent, which speaks the Agent Client Protocol; tries it with one prompt',
      )
      .option('--env <names>', 'with --acp: variables the agent is given, separated by commas')
      .option('--permissions <policy>', 'with --acp: allow, deny or ask (the operator)'),
    async (options, name) => {
      if (options.url !== undefined) {
        throw new AppError('invalid-params', 'A workspace is a folder: make it on the machine that holds the home.');
      }
      const driver = chosenDriver(options);
      const { workspaces, callers } = localHome(settings(context, options).home);
      const { description } = options;
      workspaces.create(name, {
        ...(description !== undefined && { card: { name, description } }),
        ...(driver && { settings: { driver } }),
      });
      const key = options.caller === undefined ? undefined : await callers.add(name, options.caller);
      const path = workspaces.path(name);
      // The workspace is there, and its key shown, whatever becomes of the try.
      const tried = options.acp === undefined ? undefined : await tryWorkspace(context, options, name);
      const works = tried === undefined || taskExit(tried) === EXIT.ok;
      print(context, options, { name, path, key, ...(tried && { works, answer: tried.response }) }, () => [
        `Made ${path}. What the assistant is, stands in its AGENTS.md.`,
        ...(key === undefined
          ? [`Give somebody a key with: switchboard callers add ${name}/<caller>`]
          : [`The key of ${name}/${options.caller}, shown only this once:`, key]),
        ...(tried && works ? ['The agent works. It says:', ...taskLines(tried)] : []),
      ]);
      if (tried && !works) for (const line of failure(name, tried)) context.io.err(line);
      return works ? EXIT.ok : EXIT.failure;
    },
  );
}

const failure = (name: string, tried: Parameters<typeof taskLines>[0]): string[] => [
  'The agent did not answer:',
  ...taskLines(tried),
  `Mend .a2a/workspace.json in it, then, with the server running: switchboard chat -a ${name} hello`,
];
