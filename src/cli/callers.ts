// Commands about callers and their keys. A key is printed once, when it is made.
import type { Command } from 'commander';
import { callerParts, deskOfFiles, deskOfServer, type CallerDesk } from './caller-desk.js';
import { findClient, print, settings, type Context, type GlobalOptions } from './context.js';
import type { ExitCode } from './exit-codes.js';
import { localHome } from './local-home.js';
import { table } from './render.js';

const desk = (context: Context, options: GlobalOptions): CallerDesk => {
  const client = findClient(context, options);
  return client === undefined ? deskOfFiles(localHome(settings(context, options).home).callers) : deskOfServer(client);
};

export function addCallers(program: Command, context: Context): void {
  const callers = program.command('callers').description('who may call, and their keys');
  const showKey = (options: GlobalOptions, id: string, key: string): ExitCode =>
    print(context, options, { id, key }, () => [`The key of ${id}, shown only this once:`, key]);

  context.act<[string | undefined], object>(
    callers.command('list [workspace]').description('list callers; keys only by their last characters'),
    async (options, workspace) => {
      const found = await desk(context, options).list(workspace);
      return print(context, options, { callers: found }, () =>
        table(
          ['CALLER', 'KEYS', 'AGENTS', 'NOTE'],
          found.map(({ id, keys, agents, note }) => [
            id,
            keys
              .map(({ hint, expiresAt }) => `…${hint}${expiresAt === undefined ? '' : ` until ${expiresAt}`}`)
              .join(', '),
            agents?.join(',') ?? callerParts(id).workspace,
            note ?? '',
          ]),
        ),
      );
    },
  );
  context.act<[string], { note?: string; agents?: string; expires?: string }>(
    callers
      .command('add <workspace/name>')
      .description('add a caller with a fresh key')
      .option('--note <text>')
      .option('--agents <names>', 'agents it may use, separated by commas; default: only the workspace')
      .option('--expires <time>', 'when the key ends, ISO 8601'),
    async (options, id) => {
      const agents = options.agents?.split(',');
      const key = await desk(context, options).add(id, {
        ...(options.note !== undefined && { note: options.note }),
        ...(agents !== undefined && { agents }),
        ...(options.expires !== undefined && { expiresAt: options.expires }),
      });
      return showKey(options, id, key);
    },
  );
  context.act<[string], { expires?: string; revoke?: boolean }>(
    callers
      .command('rotate <workspace/name>')
      .description('add a further key; the old ones stay valid until they are removed')
      .option('--expires <time>', 'when the new key ends, ISO 8601')
      .option('--revoke', 'remove the old keys at once'),
    async (options, id) => {
      const callerDesk = desk(context, options);
      const key = await callerDesk.addKey(id, options.expires === undefined ? {} : { expiresAt: options.expires });
      if (options.revoke === true) await callerDesk.removeKeys(id);
      else
        context.io.err(`The old keys still work. When nobody uses them: switchboard callers remove ${id} --old-keys`);
      return showKey(options, id, key);
    },
  );
  context.act<[string], { key?: string; oldKeys?: boolean }>(
    callers
      .command('remove <workspace/name>')
      .description('remove a caller, or only some of its keys')
      .option('--key <hint>', 'only the key with these last characters')
      .option('--old-keys', 'only the keys that are not the newest'),
    async (options, id) => {
      const callerDesk = desk(context, options);
      if (options.key === undefined && options.oldKeys !== true) {
        await callerDesk.remove(id);
        return print(context, options, { id, removed: true }, () => [`Removed ${id}.`]);
      }
      const removed = await callerDesk.removeKeys(id, options.key?.replace(/^…/, ''));
      return print(context, options, { id, removed }, () => [`Removed ${removed} of the keys of ${id}.`]);
    },
  );
}
