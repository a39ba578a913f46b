// Command agents: who can be addressed.
import type { Command } from 'commander';
import { client, print, type Context } from './context.js';
import { table } from './render.js';

export function addAgents(program: Command, context: Context): void {
  context.act<[], object>(program.command('agents').description('list all agents'), async (options) => {
    const answer = await client(context, options).agents();
    return print(context, options, answer, () =>
      table(
        ['AGENT', 'KIND', 'EXPOSED', 'SKILLS', 'DESCRIPTION'],
        answer.agents.map(({ name, kind, exposed, skills, description }) => [
          name,
          kind,
          exposed ? 'yes' : 'no',
          skills.map(({ id }) => id).join(',') || '-',
          description ?? '',
        ]),
      ),
    );
  });
}
