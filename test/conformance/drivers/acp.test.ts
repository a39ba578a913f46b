// The acp driver as a driver like any other, with an agent in a process of its own.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { AcpDriver } from '../../../plugins/executors/session-runner/drivers/acp/acp-driver.js';
import type { AgentLink } from '../../../plugins/executors/session-runner/drivers/acp/agent-link.js';
import { launchAgent, type LaunchOptions } from '../../../plugins/executors/session-runner/drivers/acp/launch-agent.js';
import { markedProcesses } from '../../../plugins/executors/session-runner/drivers/acp/marked-processes.js';
import { ToolListener } from '../../../plugins/executors/session-runner/mcp/tool-listener.js';
import { randomId } from '../../../src/clock.js';
import { silentLogger } from '../../../src/log.js';
import { Secrets } from '../../../src/secrets/secrets.js';
import { compileAcpAgent } from '../../support/compiled-acp-agent.js';
import { describeDriver, eventually, UNICODE } from './driver-suite.js';

const agent = compileAcpAgent();
afterAll(() => agent.remove());

describeDriver({
  name: 'acp',
  readsFrame: true,
  async start() {
    const folder = mkdtempSync(join(tmpdir(), 'acp-stand-'));
    const hanging = join(folder, 'hanging');
    const homeMark = `test-${randomId()}`;
    const tools = new ToolListener({ log: silentLogger(), secrets: new Secrets() });
    const links: AgentLink[] = [];
    const launch = async (options: LaunchOptions): Promise<AgentLink> => {
      const link = await launchAgent(options);
      links.push(link);
      return link;
    };
    const driver = new AcpDriver({ tools, homeMark, newId: randomId, log: silentLogger(), launch });
    driver.start();
    return {
      driver,
      settings: agent.driver(['--http', '--hanging', hanging]),
      words: {
        answer: 'say hello; say world',
        question: 'ask which?',
        failure: 'error out of paper',
        endless: 'hang',
        tool: 'tool search; say found',
        unicode: `bytes ${UNICODE}`,
      },
      async underWay() {
        await eventually(() => existsSync(hanging));
        rmSync(hanging);
      },
      held: () => markedProcesses(homeMark).length + Number(tools.open),
      async break() {
        for (const pid of markedProcesses(homeMark)) process.kill(pid, 'SIGKILL');
        await Promise.all(links.map((link) => link.ended));
      },
      async stop() {
        await driver.stop();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
});
