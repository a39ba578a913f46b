// Commands that talk to an agent: send hands work over, chat waits for the answer or holds a conversation.
import type { Command } from 'commander';
import type { ChatRequest } from '../operator-wire.js';
import { client, print, type Context } from './context.js';
import { converse } from './conversation.js';
import { taskExit, taskLines } from './render.js';

interface Options {
  agent?: string;
  context?: string;
  skill?: string;
  workspace?: string;
}

const request = ({
  agent,
  context,
  skill,
  workspace,
}: Options): Pick<ChatRequest, 'agent' | 'contextId' | 'skill' | 'workspace'> => ({
  agent,
  contextId: context,
  skill,
  workspace,
});

export function addChat(program: Command, context: Context): void {
  const talking = (command: Command): Command =>
    command
      .option('-a, --agent <name>', 'default: the configured default agent')
      .option('-c, --context <id>', 'continue this conversation')
      .option('--skill <id>')
      .option('-w, --workspace <name>', 'in whose agents.json the agent is looked up first');

  context.act<[string[]], Options>(
    talking(program.command('send <words...>').description('hand work to an agent and return at once')),
    async (options, words) => {
      const view = await client(context, options).delegate({ ...request(options), message: words.join(' ') });
      print(context, options, view, () => taskLines(view));
      return taskExit(view);
    },
  );
  context.act<[string[]], Options>(
    talking(program.command('chat [words...]').description('say something and wait; without words, a conversation')),
    async (options, words) => {
      const operator = client(context, options);
      if (words.length === 0) return converse(operator, context.io, request(options));
      let view = await operator.chat({ ...request(options), message: words.join(' ') });
      while (view.pending) view = await operator.task(view.cid, 30);
      print(context, options, view, () => taskLines(view));
      return taskExit(view);
    },
  );
}
