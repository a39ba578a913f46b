// Commands about one task or many: status, cancel, answer, approve, decline, tasks.
import type { Command } from 'commander';
import type { TaskView } from '../operator-wire.js';
import { client, print, type Context, type GlobalOptions } from './context.js';
import type { ExitCode } from './exit-codes.js';
import { table, taskExit, taskLines } from './render.js';

export function addTasks(program: Command, context: Context): void {
  const show = (options: GlobalOptions, view: TaskView): ExitCode => {
    if (view.taskState === 'unknown' && options.json !== true) {
      context.io.err(`There is no task ${view.cid}.`);
      return taskExit(view);
    }
    print(context, options, view, () => [
      `${view.taskState}${view.agent === undefined ? '' : `, agent ${view.agent}, context ${view.contextId}`}`,
      ...taskLines(view),
    ]);
    return taskExit(view);
  };

  context.act<[string], { wait?: string }>(
    program
      .command('status <cid>')
      .description('show a task')
      .option('--wait <seconds>', 'wait until it settles, at most 30 seconds'),
    async (options, cid) => show(options, await client(context, options).task(cid, Number(options.wait ?? 0))),
  );
  context.act<[string], { reason?: string }>(
    program.command('cancel <cid>').description('cancel a task').option('--reason <text>', 'told to the caller'),
    async (options, cid) => {
      const view = await client(context, options).cancel(cid, options.reason);
      return print(context, options, view, () => [`Task ${cid} is ${view.taskState}.`]);
    },
  );
  context.act<[string, string[]], object>(
    program.command('answer <cid> <words...>').description("answer a task's question"),
    async (options, cid, words) =>
      show(options, await client(context, options).input({ cid, answer: words.join(' ') })),
  );
  for (const decision of ['approve', 'decline'] as const) {
    context.act<[string], object>(
      program.command(`${decision} <cid>`).description(`${decision} what a task waits for`),
      async (options, cid) => show(options, await client(context, options).input({ cid, decision })),
    );
  }

  interface Filter {
    state?: string;
    agent?: string;
    caller?: string;
    context?: string;
    since?: string;
    limit?: string;
    cursor?: string;
  }
  context.act<[], Filter>(
    program
      .command('tasks')
      .description('list tasks, the newest change first')
      .option('--state <state>', 'e.g. working, input-required, failed')
      .option('-a, --agent <name>')
      .option('--caller <id>')
      .option('-c, --context <id>')
      .option('--since <time>', 'ISO 8601')
      .option('--limit <n>', '1 to 100', '50')
      .option('--cursor <cursor>', 'where the previous page ended'),
    async (options) => {
      const { state, agent, caller, context: contextId, since, limit, cursor } = options;
      const page = await client(context, options).tasks({
        state,
        agent,
        caller,
        contextId,
        since,
        cursor,
        pageSize: limit,
      });
      return print(context, options, page, () => [
        ...table(
          ['TASK', 'STATE', 'AGENT', 'CALLER', 'CONTEXT', 'CHANGED'],
          page.tasks.map((row) => [row.cid, row.taskState, row.agent, row.caller, row.contextId, row.updatedAt]),
        ),
        `${page.tasks.length} of ${page.total}`,
        ...(page.nextCursor === undefined ? [] : [`More with: --cursor ${page.nextCursor}`]),
      ]);
    },
  );
}
