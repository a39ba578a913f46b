// Commands about callers and their keys. A key is printed once, when it is made.
import type { Command } from 'commander';
import { AppError } from '../errors.js';
import { callerParts, deskOfFiles, deskOfServer, type CallerDesk, type ShownCaller } from './caller-desk.js';
import { findClient, print, printList, settings, type Context, type GlobalOptions } from './context.js';
import type { ExitCode } from './exit-codes.js';
import { localHome } from './local-home.js';
import { table } from './render.js';

const desk = (context: Context, options: GlobalOptions): CallerDesk => {
  const client = findClient(context, options);
  return client === undefined ? deskOfFiles(localHome(settings(context, options).home)) : deskOfServer(client);
};

export function addCallers(program: Command, context: Context): void {
  const callers = program.command('callers').description('who may call, and their keys');
  const showKey = (options: GlobalOptions, id: string, key: string): ExitCode =>
    print(context, options, { id, key }, () => [`The key of ${id}, shown only this once:`, key]);

  context.act<[string | undefined], object>(
    callers.command('list [workspace]').description('list callers; keys only by their last characters'),
    async (options, workspace) => {
      const { callers: found, problems } = await desk(context, options).list(workspace);
      return printList(context, options, { callers: found, problems }, () =>
        table(
          ['CALLER', 'KEYS', 'AGENTS', 'NOTE'],
          found.map(({ id, keys, agents, note }) => [
            id,
            keys.map(keyWords).join(', '),
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
      const agents = options.agents?.split(',').map((agent) => agent.trim());
      const { key, unknownAgents = [] } = await desk(context, options).add(id, {
        ...(options.note !== undefined && { note: options.note }),
        ...(agents !== undefined && { agents }),
        ...(options.expires !== undefined && { expiresAt: options.expires }),
      });
      for (const agent of unknownAgents) {
        context.warn(`no agent ${JSON.stringify(agent)} is known now; one that comes by that name may be used.`);
      }
      return showKey(options, id, key);
    },
  );
  context.act<[string], { expires?: string; revoke?: boolean; overlap?: string }>(
    callers
      .command('rotate <workspace/name>')
      .description('add a further key; the old ones stay valid until they are removed')
      .option('--expires <time>', 'when the new key ends, ISO 8601')
      .option('--overlap <duration>', 'the old keys end after this time: 30m, 12h, 7d')
      .option('--revoke', 'remove the old keys at once'),
    async (options, id) => {
      const callerDesk = desk(context, options);
      const oldKeysExpireAt = options.overlap === undefined ? undefined : endOf(options.overlap);
      const key = await callerDesk.addKey(id, {
        ...(options.expires !== undefined && { expiresAt: options.expires }),
        ...(oldKeysExpireAt !== undefined && { oldKeysExpireAt }),
      });
      if (options.revoke === true) await callerDesk.removeKeys(id);
      else if (oldKeysExpireAt !== undefined) context.io.err(`The old keys work until ${oldKeysExpireAt}.`);
      else
        context.io.err(`The old keys still work. When nobody uses them: switchboard callers remove ${id} --old-keys`);
      return showKey(options, id, key);
    },
  );
  context.act<[string], { key?: string; oldKeys?: boolean }>(
    callers
      .command('remove <workspace/name>')
      .description('remove a caller, or only some of its keys')
      .option('--key <hint or id>', 'only the key with these last characters, or this id')
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
  context.act<[string], { remove?: boolean }>(
    callers
      .command('webhook-secret <workspace/name>')
      .description('give the caller a fresh secret that signs its webhooks; the old one counts no more')
      .option('--remove', 'take it away: its webhooks are not signed any more'),
    async (options, id) => {
      if (options.remove === true) {
        await desk(context, options).removeWebhookSecret(id);
        return print(context, options, { id, removed: true }, () => [`The webhooks of ${id} are not signed any more.`]);
      }
      const webhookSecret = await desk(context, options).newWebhookSecret(id);
      const told = `The webhook secret of ${id}, shown only this once:`;
      return print(context, options, { id, webhookSecret }, () => [told, webhookSecret]);
    },
  );
}

const keyWords = ({ hint, expiresAt, lastUsedAt }: ShownCaller['keys'][number]): string =>
  [
    `…${hint}`,
    ...(expiresAt === undefined ? [] : [`until ${expiresAt}`]),
    ...(lastUsedAt === undefined ? [] : [`used ${lastUsedAt}`]),
  ].join(' ');

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Now and a duration such as `12h`, as ISO 8601. Throws `invalid-params`. */
function endOf(duration: string): string {
  const [, amount, unit] = /^([1-9]\d{0,5})([smhd])$/.exec(duration) ?? [];
  if (amount === undefined) throw new AppError('invalid-params', 'A duration is a number followed by s, m, h or d.');
  return new Date(Date.now() + Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS]).toISOString();
}
