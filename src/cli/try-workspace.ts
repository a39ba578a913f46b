// One prompt to a workspace, to see that what it is set up with works: through the server that runs on the home, or
// through one that is started for it alone.
import { randomId } from '../clock.js';
import { readOperatorKey } from '../home.js';
import { createSwitchboard } from '../main.js';
import type { TaskView } from '../operator-wire.js';
import { underWatch } from './crash-watch.js';
import { findClient, settings, type Context, type GlobalOptions } from './context.js';
import { OperatorClient } from './operator-client.js';

const PROMPT = 'Say in one short sentence that you are ready. Use no tools for this.';

/** How the prompt ended. A started server logs warnings to standard error, which is where agents' own words are. */
export async function tryWorkspace(context: Context, options: GlobalOptions, agent: string): Promise<TaskView> {
  const running = findClient(context, options);
  if (running) return ask(running, agent);
  const config = settings(context, options);
  const own = {
    ...config,
    host: '127.0.0.1',
    port: 0,
    logLevel: config.logLevel === 'info' ? 'warn' : config.logLevel,
  };
  return underWatch(context.io.exit, async (beforePlugins) => {
    const env = context.env && { env: context.env };
    const switchboard = await createSwitchboard({ config: own, ...env, beforePlugins });
    try {
      const { url } = await switchboard.start();
      return await ask(new OperatorClient(url, config.operatorKey ?? readOperatorKey(config.home) ?? ''), agent);
    } finally {
      await switchboard.stop();
    }
  });
}

async function ask(operator: OperatorClient, agent: string): Promise<TaskView> {
  let view = await operator.chat({ agent, message: PROMPT, contextId: `try-${randomId()}` });
  while (view.pending) view = await operator.task(view.cid, 30);
  // What waits for somebody has answered, too; nobody will come back to it.
  if (!view.done) await operator.cancel(view.cid, 'it was only a try');
  return view;
}
