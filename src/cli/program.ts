// The program: all commands under one name, and every way it can end as an exit code.
import { Command, CommanderError } from 'commander';
import { AppError, errorText } from '../errors.js';
import type { LoadOptions } from '../config.js';
import { addAgents } from './agents.js';
import { addCallers } from './callers.js';
import { addChat } from './chat.js';
import type { Context } from './context.js';
import { addDoctor } from './doctor.js';
import { EXIT, exitCodeOf, type ExitCode } from './exit-codes.js';
import { addInit } from './init.js';
import type { Io } from './io.js';
import { nextStep } from './next-step.js';
import { addPlugin } from './plugin.js';
import { addPushes } from './pushes.js';
import { addRebuild } from './rebuild.js';
import { addStart } from './start.js';
import { addTasks } from './tasks.js';

/** Runs one command line (without node and script) and returns its exit code. Never throws. */
export async function run(argv: string[], io: Io, env?: LoadOptions['env']): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok;
  const warned = new Set<string>();
  const context: Context = {
    io,
    env,
    warn(problem) {
      if (!warned.has(problem)) io.err(`warning: ${problem}`);
      warned.add(problem);
    },
    act(command, action) {
      command.action(async (...given: unknown[]) => {
        // Commander passes the arguments, then the options, then the command; their types are the caller's word.
        code = await action(command.optsWithGlobals(), ...(given.slice(0, -2) as Parameters<typeof action> as never));
      });
    },
  };
  try {
    await build(context).parseAsync(argv, { from: 'user' });
  } catch (error) {
    code = codeOf(error);
    if (!(error instanceof CommanderError)) io.err(told(error));
  } finally {
    io.close();
  }
  const written = await io.written();
  return code === EXIT.ok && !written ? EXIT.failure : code;
}

function codeOf(error: unknown): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  return exitCodeOf(error);
}

function build(context: Context): Command {
  const { io } = context;
  const program = new Command('switchboard')
    .description('A durable A2A front door for agents in folders.')
    .option('--home <folder>', 'the folder the server runs on (default: $SWITCHBOARD_HOME, else ./home)')
    .option('--url <address>', 'talk to the server there, with the operator key in $SWITCHBOARD_OPERATOR_KEY')
    .option('--json', 'results as JSON')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.out(text.trimEnd()),
      writeErr: (text) => io.err(text.trimEnd()),
    });
  for (const add of [
    addStart,
    addInit,
    addDoctor,
    addCallers,
    addAgents,
    addChat,
    addTasks,
    addPushes,
    addPlugin,
    addRebuild,
  ]) {
    add(program, context);
  }
  return program;
}

function told(error: unknown): string {
  const { retryAfter, taskId } = error instanceof AppError ? error.details : {};
  const step = nextStep(error);
  return [
    errorText(error),
    ...(retryAfter === undefined ? [] : [`Try again in ${retryAfter} s.`]),
    ...(taskId === undefined ? [] : [`The task: ${taskId}`]),
    ...(step === undefined ? [] : [step]),
  ].join('\n');
}
