// Agents' processes: what they are given, and that none is left.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AcpDriver } from '../../../../plugins/executors/session-runner/drivers/acp/acp-driver.js';
import { launchAgent } from '../../../../plugins/executors/session-runner/drivers/acp/launch-agent.js';
import {
  MARK_VARIABLE,
  markedProcesses,
} from '../../../../plugins/executors/session-runner/drivers/acp/marked-processes.js';
import { ToolListener } from '../../../../plugins/executors/session-runner/mcp/tool-listener.js';
import { randomId, systemClock } from '../../../../src/clock.js';
import { createEnvironment } from '../../../../src/environment.js';
import { silentLogger } from '../../../../src/log.js';
import { Secrets } from '../../../../src/secrets/secrets.js';
import { ACP_SETTINGS } from '../../../../src/workspace/driver-settings.js';
import { compileAcpAgent } from '../../../support/compiled-acp-agent.js';
import { FakeHome } from '../fake-core.js';

const agent = compileAcpAgent();
afterAll(() => agent.remove());

function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

describe('an agent’s process', () => {
  it('is given a few plain variables and those that are named, never the switchboard’s own', async () => {
    const secrets = new Secrets();
    const variables = {
      PATH: process.env.PATH,
      HOME: '/home/of/it',
      API_KEY: 'a-very-secret-key',
      OTHER: 'unnamed',
      SWITCHBOARD_OPERATOR_KEY: 'the-operators-key',
    };
    const link = await launchAgent({
      settings: ACP_SETTINGS.parse({
        name: 'acp',
        command: process.execPath,
        args: ['-e', 'process.stderr.write(JSON.stringify(process.env))'],
        env: ['API_KEY', 'MISSING'],
      }),
      cwd: process.cwd(),
      mark: 'test-mark',
      environment: createEnvironment(variables, secrets),
      clock: systemClock,
      log: silentLogger(),
    });
    expect(await link.ended).toBe('exit code 0');
    const { PATH, HOME, API_KEY } = variables;
    expect(JSON.parse(link.lastErrors)).toEqual({ PATH, HOME, API_KEY, [MARK_VARIABLE]: 'test-mark' });
    expect(secrets.redact(API_KEY)).toBe('[redacted]');
    await link.close();
  });

  it('takes along what it has started when it ends by itself, also what carries no mark', async () => {
    const start =
      "require('child_process').spawn('sleep', ['1000'], { env: { PATH: process.env.PATH }, stdio: 'ignore' })";
    const link = await launchAgent({
      settings: ACP_SETTINGS.parse({
        name: 'acp',
        command: process.execPath,
        args: ['-e', `process.stderr.write(String(${start}.pid), () => process.exit(0))`],
      }),
      cwd: process.cwd(),
      mark: 'test-mark',
      environment: createEnvironment({ PATH: process.env.PATH }, new Secrets()),
      clock: systemClock,
      log: silentLogger(),
    });
    await link.ended;
    const started = Number(link.lastErrors);
    try {
      // A killed process may take a moment to go.
      for (let tries = 0; tries < 1_000 && isRunning(started); tries++) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect(isRunning(started)).toBe(false);
    } finally {
      if (isRunning(started)) process.kill(started, 'SIGKILL');
    }
  });

  it('left by a run that was killed is ended by the next one; those of other homes live on', async () => {
    const mark = `test-${randomId()}`;
    const start = async (value: string): Promise<ChildProcess> => {
      const env = { PATH: process.env.PATH, [MARK_VARIABLE]: value };
      const child = spawn('sleep', ['1000'], { env, stdio: 'ignore', detached: true });
      await once(child, 'spawn');
      return child;
    };
    const [left, other] = [await start(`${mark}.left`), await start(`${mark}x.other`)];
    const ended = once(left, 'exit');
    const tools = new ToolListener({ log: silentLogger(), secrets: new Secrets() });
    const driver = new AcpDriver({ tools, homeMark: mark, newId: randomId, log: silentLogger() });
    driver.start();
    expect((await ended)[1]).toBe('SIGKILL');
    expect(markedProcesses(`${mark}x.`)).toEqual([other.pid]);
    const killed = once(other, 'exit');
    other.kill('SIGKILL');
    await Promise.all([killed, driver.stop()]);
  });
});

describe('many conversations', () => {
  let home: FakeHome;
  beforeEach(() => {
    home = new FakeHome();
  });
  afterEach(() => home.remove());

  it('opened, closed for room, taken up again and stopped leave no process, descriptor or listener', async () => {
    const homeMark = `test-${randomId()}`;
    const tools = new ToolListener({ log: silentLogger(), secrets: new Secrets() });
    const driver = new AcpDriver({ tools, homeMark, newId: randomId, log: silentLogger() });
    // Its processes are real, so its time is, too.
    const real = {
      name: 'acp',
      open: (...[context, signal]: Parameters<AcpDriver['open']>) =>
        driver.open({ ...context, clock: systemClock }, signal),
    };
    home.settings = {
      ...home.settings,
      driver: agent.driver(['--http', '--resume', '--store', `${home.root}/conversations.json`]),
    };
    const runner = home.runner([real], 3);
    const descriptors = (): number => readdirSync('/proc/self/fd').length;
    const talk = async (n: number, text: string): Promise<string> => {
      const { shown } = await home.run({ text, contextId: `c${n}`, cid: `${text.split(' ')[0]}-${n}` }, runner);
      return shown.join('');
    };
    await talk(0, 'say hello');
    await talk(0, 'say hello');
    const before = descriptors();
    for (let n = 1; n <= 12; n++) expect(await talk(n, `say this is ${n}`)).toBe(`this is ${n}/`);
    expect(runner.sessions.size).toBe(3);
    for (let n = 1; n <= 6; n++) expect(await talk(n, 'recall')).toContain(`say this is ${n}`);
    await runner.sessions.stop();
    await driver.stop();
    expect(markedProcesses(homeMark)).toEqual([]);
    expect(tools.open).toBe(false);
    // A socket's number is free a moment after the socket is closed.
    while (descriptors() > before) await new Promise((resolve) => setImmediate(resolve));
  });
});
