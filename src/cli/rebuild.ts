// Command rebuild: throws the mirror away and reads it anew from the files, which hold everything it knows.
import { rmSync } from 'node:fs';
import type { Command } from 'commander';
import { createLogger } from '../log.js';
import { Secrets } from '../secrets/secrets.js';
import { lockHome } from '../home-lock.js';
import { mirrorFile } from '../home.js';
import { createSwitchboard } from '../main.js';
import { underWatch } from './crash-watch.js';
import { print, settings, type Context } from './context.js';

export function addRebuild(program: Command, context: Context): void {
  context.act<[], object>(
    program.command('rebuild').description('make the index of all tasks anew from the files; the server must not run'),
    async (options) => {
      const config = settings(context, options);
      const lock = await lockHome(config.home);
      try {
        for (const suffix of ['', '-wal', '-shm', '-journal'])
          rmSync(mirrorFile(config.home) + suffix, { force: true });
      } finally {
        lock.release();
      }
      // Without a mirror, opening a home reads every task.
      return underWatch(context.io.exit, async (beforePlugins) => {
        const log = createLogger('warn', new Secrets());
        const switchboard = await createSwitchboard({ config, log, beforePlugins });
        try {
          const { total } = switchboard.core.ledger.list({ pageSize: 1 });
          return print(context, options, { tasks: total }, () => [`Rebuilt from the files: ${total} tasks.`]);
        } finally {
          await switchboard.stop();
        }
      });
    },
  );
}
