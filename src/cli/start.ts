// Command start: the server, until a signal. The first signal drains, the second ends the process at once.
import type { Command } from 'commander';
import { errorText } from '../errors.js';
import { firstRunLines, prepareFirstRun } from '../first-run.js';
import { operatorKeyFile } from '../home.js';
import { createSwitchboard, type Switchboard } from '../main.js';
import { underWatch } from './crash-watch.js';
import { settings, type Context } from './context.js';
import { EXIT, type ExitCode } from './exit-codes.js';

/** What `start` needs of a switchboard. */
type Startable = Pick<Switchboard, 'start' | 'stop' | 'core'>;

export function addStart(
  program: Command,
  context: Context,
  create: typeof createSwitchboard = createSwitchboard,
): void {
  context.act<[], { host?: string; port?: string }>(
    program
      .command('start')
      .description('run the server on the home')
      .option('--host <address>', 'where to listen')
      .option('--port <number>', '0 takes a free one'),
    async (options) => {
      const config = settings(context, options, {
        ...(options.host !== undefined && { SWITCHBOARD_HOST: options.host }),
        ...(options.port !== undefined && { SWITCHBOARD_PORT: options.port }),
      });
      const signals = watchSignals(context);
      try {
        return await underWatch(context.io.exit, async (beforePlugins) => {
          const switchboard = await create({ config, beforePlugins });
          try {
            return await serve(switchboard, context, signals.first);
          } finally {
            await switchboard.stop();
          }
        });
      } finally {
        signals.stop();
      }
    },
  );
}

async function serve(switchboard: Startable, { io }: Context, signal: Promise<void>): Promise<ExitCode> {
  const { core } = switchboard;
  const { url } = await switchboard.start();
  // Only once it listens: a key that was made and never shown would be lost.
  const first = await prepareFirstRun(core).catch((error: unknown) => {
    io.err(`warning: no demo workspace was made: ${errorText(error)}`);
    return undefined;
  });
  io.out(`listening on ${url}`);
  if (first !== undefined) {
    const keyFile = core.config.operatorKey === undefined ? { operatorKeyFile: operatorKeyFile(core.config.home) } : {};
    for (const line of firstRunLines(first, { url, ...keyFile })) io.out(line);
  }
  await signal;
  io.err('stopping: running turns may finish; a second signal ends them at once');
  return EXIT.ok;
}

function watchSignals({ io }: Context): { first: Promise<void>; stop: () => void } {
  let stop = (): void => undefined;
  const first = new Promise<void>((resolve) => {
    let signals = 0;
    stop = io.onSignal(() => {
      if (++signals > 1) io.exit(EXIT.failure);
      resolve();
    });
  });
  return { first, stop };
}
