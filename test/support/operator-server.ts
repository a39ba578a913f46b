// A real server in this process, on a fresh home, with its operator at hand. Stopped and removed after each test.
import { afterEach } from '@jest/globals';
import type { Config } from '../../src/config.js';
import { systemClock, type Clock } from '../../src/clock.js';
import { silentLogger, type Logger } from '../../src/log.js';
import { createSwitchboard, type Switchboard } from '../../src/main.js';
import type { TaskView } from '../../src/operator-wire.js';
import { ManualAgent } from './manual-agent.js';
import { makeTestHome, OPERATOR_KEY, type HomeOptions, type TestHome } from './test-home.js';

export interface Answer<T> {
  status: number;
  headers: Headers;
  body: T;
}

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

export class OperatorServer {
  private constructor(
    readonly home: TestHome,
    readonly switchboard: Switchboard,
    readonly manual: ManualAgent,
    readonly url: string,
    private readonly log: Logger,
    private readonly clock: Clock,
  ) {}

  static async start(
    options: HomeOptions = {},
    log = silentLogger(),
    clock: Clock = systemClock,
  ): Promise<OperatorServer> {
    const home = makeTestHome(options);
    cleanUp.push(() => home.remove());
    return OperatorServer.on(home, log, clock);
  }

  private static async on(home: TestHome, log: Logger, clock: Clock): Promise<OperatorServer> {
    const manual = new ManualAgent();
    const config: Partial<Config> = { home: home.path, host: '127.0.0.1', port: 0 };
    const switchboard = await createSwitchboard({ config, log, clock, plugins: [manual.plugin] });
    let stopped = false;
    const stop = switchboard.stop.bind(switchboard);
    switchboard.stop = async () => {
      if (stopped) return;
      stopped = true;
      manual.finish();
      await stop();
    };
    cleanUp.push(() => switchboard.stop());
    const { url } = await switchboard.start();
    return new OperatorServer(home, switchboard, manual, url, log, clock);
  }

  /** A clean stop and a new server on the same home. */
  async restart(): Promise<OperatorServer> {
    await this.switchboard.stop();
    return OperatorServer.on(this.home, this.log, this.clock);
  }

  async call<T = TaskView>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = { 'X-API-Key': OPERATOR_KEY },
  ): Promise<Answer<T>> {
    const response = await fetch(this.url + path, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as T };
  }

  post = <T = TaskView>(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer<T>> =>
    this.call('POST', `/api/a2a${path}`, body, { 'X-API-Key': OPERATOR_KEY, ...headers });
  get = <T = TaskView>(path: string): Promise<Answer<T>> => this.call('GET', `/api/a2a${path}`);
  chat = (message: string, more: object = {}): Promise<Answer<TaskView>> =>
    this.post('/chat', { agent: 'demo', message, ...more });
}
