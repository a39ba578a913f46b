// Commands about webhooks: pushes list, show, redrive, disable, enable.
import type { Command } from 'commander';
import { AppError } from '../errors.js';
import type { PushRow, PushView } from '../push-wire.js';
import { client, print, type Context, type GlobalOptions } from './context.js';
import type { ExitCode } from './exit-codes.js';
import { table } from './render.js';

interface Filter {
  state?: string;
  task?: string;
  config?: string;
  caller?: string;
  limit?: string;
  cursor?: string;
}

export function addPushes(program: Command, context: Context): void {
  const pushes = program.command('pushes').description('webhooks: what they are owed, and what became of it');
  context.act<[], Filter>(
    pushes
      .command('list', { isDefault: true })
      .description('list webhooks that are owed something, are disabled or have dead letters')
      .option('--state <state>', 'pending, retrying, disabled or dead')
      .option('--task <cid>', 'all webhooks of one task')
      .option('--config <id>')
      .option('--caller <id>')
      .option('--limit <n>', '1 to 100', '50')
      .option('--cursor <cursor>', 'where the previous page ended'),
    async (options) => {
      const { state, task, config, caller, limit, cursor } = options;
      const page = await client(context, options).pushes({ state, task, config, caller, cursor, pageSize: limit });
      return print(context, options, page, () => [
        ...table(['TASK', 'WEBHOOK', 'STATE', 'OWED', 'DEAD', 'NEXT TRY', 'CALLER', 'URL'], page.pushes.map(cells)),
        ...(page.nextCursor === undefined ? [] : [`More with: --cursor ${page.nextCursor}`]),
      ]);
    },
  );
  context.act<[string, string], object>(
    pushes.command('show <cid> <config>').description('show a webhook with its dead letters and latest tries'),
    async (options, cid, config) => show(context, options, await client(context, options).push(cid, config)),
  );
  context.act<[string | undefined, string | undefined], { seq?: string; since?: string }>(
    pushes
      .command('redrive [cid] [config]')
      .description('tell dead letters again: of one webhook, or all since a time')
      .option('--seq <n>', 'only the change at this position')
      .option('--since <time>', 'ISO 8601: of all webhooks, given up since then'),
    async (options, cid, config) => {
      const redriven = await redrive(context, options, cid, config);
      return print(context, options, { redriven }, () => [`${redriven} dead letters are told again.`]);
    },
  );
  for (const to of ['disable', 'enable'] as const) {
    context.act<[string, string], object>(
      pushes.command(`${to} <cid> <config>`).description(`${to} a webhook`),
      async (options, cid, config) =>
        show(context, options, await client(context, options).switchPush(cid, config, to)),
    );
  }
}

async function redrive(
  context: Context,
  { seq, since, ...options }: { seq?: string; since?: string } & GlobalOptions,
  cid: string | undefined,
  config: string | undefined,
): Promise<number> {
  const server = client(context, options);
  if (cid !== undefined && config !== undefined && since === undefined) {
    return (await server.redrive(cid, config, seq === undefined ? undefined : Number(seq))).redriven;
  }
  if (cid !== undefined || since === undefined || seq !== undefined) {
    throw new AppError('invalid-params', 'Name a task and its webhook, or give --since alone.');
  }
  let redriven = 0;
  for (let more = true; more;) {
    const answer = await server.redriveSince(since);
    redriven += answer.redriven;
    more = answer.more && answer.redriven > 0;
  }
  return redriven;
}

const cells = (row: PushRow): string[] => [
  row.taskId,
  row.configId,
  row.state,
  String(row.owed),
  String(row.dead),
  row.nextAttemptAt ?? '-',
  row.caller,
  row.url,
];

const show = (context: Context, options: GlobalOptions, view: PushView): ExitCode =>
  print(context, options, view, () => [
    `${view.configId} of ${view.taskId}: ${view.state}, ${view.url}, A2A ${view.version}, for ${view.caller}`,
    ...view.owedChanges.map(({ seq, state, at }) => `owed   ${seq} ${state} of ${at}`),
    ...view.deadLetters.map(
      ({ seq, state, at, attempts, reason = '', status }) =>
        `dead   ${seq} ${state}, given up ${at} after ${attempts} tries: ${status ?? reason}`,
    ),
    ...view.tries.map(
      ({ seq, state, at, attempt, durationMs, status, reason }) =>
        `try    ${seq} ${state} ${at}, no. ${attempt}, ${durationMs} ms: ${[status, reason].filter((word) => word !== undefined).join(' ')}`,
    ),
  ]);
