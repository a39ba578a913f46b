// Commands about agents: who can be addressed, whether one answers, and what is followed elsewhere.
import type { Command } from 'commander';
import type { AgentsAnswer } from '../operator-wire.js';
import { client, print, printList, type Context } from './context.js';
import { table, taskExit, taskLines } from './render.js';

export function addAgents(program: Command, context: Context): void {
  const agents = program.command('agents').description('list all agents');
  context.act<[], { workspace?: string; probe?: boolean }>(
    agents
      .option('-w, --workspace <name>', 'as this workspace sees them')
      .option('--probe', 'ask agents elsewhere now'),
    async (options) => {
      const { workspace, probe } = options;
      const answer = await client(context, options).agents({ workspace, ...(probe && { probe: 'true' }) });
      return printList(context, options, answer, () => [
        ...table(
          ['AGENT', 'KIND', 'EXPOSED', 'REACHED', 'SKILLS', 'DESCRIPTION'],
          answer.agents.map((agent) => [
            agent.name,
            agent.kind,
            agent.exposed ? 'yes' : 'no',
            reached(agent.remote),
            agent.skills.map(({ id }) => id).join(',') || '-',
            agent.description ?? '',
          ]),
        ),
        ...answer.agents.flatMap(({ name, remote }) => (remote?.problem ? [`${name}: ${remote.problem}`] : [])),
      ]);
    },
  );
  context.act<[string, string[]], { workspace?: string }>(
    agents
      .command('test <name> [words...]')
      .description('ask an agent something, marked as a test')
      .option('-w, --workspace <name>', 'in whose agents.json the name is looked up'),
    async (options, name, words) => {
      const operator = client(context, options);
      const message = words.length > 0 ? { message: words.join(' ') } : {};
      let view = await operator.testAgent(name, { ...message, workspace: options.workspace });
      while (view.pending) view = await operator.task(view.cid, 30);
      print(context, options, view, () => [`${name}: ${view.taskState}`, ...taskLines(view)]);
      return taskExit(view);
    },
  );
  context.act<[], { agent?: string; caller?: string; state?: string; limit?: string; cursor?: string }>(
    program
      .command('watches')
      .description('list the work at agents elsewhere that is followed now')
      .option('-a, --agent <name>')
      .option('--caller <id>')
      .option('--state <state>', 'sending or following')
      .option('--limit <n>', '1 to 100', '50')
      .option('--cursor <cursor>', 'where the previous page ended'),
    async (options) => {
      const { agent, caller, state, limit, cursor } = options;
      const page = await client(context, options).watches({ agent, caller, state, cursor, pageSize: limit });
      return print(context, options, page, () => [
        ...table(
          ['TASK', 'AGENT', 'WATCH', 'STATE', 'CALLER', 'SINCE'],
          page.watches.map((row) => [row.cid, row.agent, row.state, row.taskState, row.caller, row.since]),
        ),
        `${page.watches.length} of ${page.total}`,
        ...(page.nextCursor === undefined ? [] : [`More with: --cursor ${page.nextCursor}`]),
      ]);
    },
  );
}

function reached(remote: AgentsAnswer['agents'][number]['remote']): string {
  if (!remote) return 'here';
  const how = (remote.protocols ?? []).join('+');
  return how === '' ? remote.reachable : `${remote.reachable}, ${how} ${(remote.bindings ?? []).join('+')}`;
}
