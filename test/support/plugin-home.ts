// A server in this process whose home holds plugin files, and what it logged.
import { afterEach } from '@jest/globals';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pino } from 'pino';
import type { Clock } from '../../src/clock.js';
import type { Variables } from '../../src/environment.js';
import { createSwitchboard, type Switchboard } from '../../src/main.js';
import type { TaskView } from '../../src/operator-wire.js';
import { makeTestHome, OPERATOR_KEY, type HomeOptions, type TestHome } from './test-home.js';

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

export interface PluginHomeOptions extends HomeOptions {
  env?: Variables;
  clock?: Clock;
  /** Called with the path of the folder of plugins before the server starts. */
  before?(folder: string): void;
}

export class PluginHome {
  readonly logged: Record<string, unknown>[] = [];
  switchboard!: Switchboard;
  url!: string;
  private stopped = true;

  private constructor(
    readonly home: TestHome,
    private readonly options: PluginHomeOptions,
  ) {}

  /** @param files by their names in the folder of plugins. */
  static async start(files: Record<string, string>, options: PluginHomeOptions = {}): Promise<PluginHome> {
    const home = makeTestHome(options);
    cleanUp.push(() => home.remove());
    const server = new PluginHome(home, options);
    for (const [name, text] of Object.entries(files)) server.write(name, text);
    options.before?.(join(home.path, 'plugins'));
    cleanUp.push(() => server.stop());
    await server.open();
    return server;
  }

  write(name: string, text: string): void {
    const path = join(this.home.path, 'plugins', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  async open(): Promise<void> {
    const log = pino({ base: null }, { write: (line: string) => void this.logged.push(JSON.parse(line)) });
    const { env, clock } = this.options;
    const config = { home: this.home.path, host: '127.0.0.1', port: 0 };
    this.switchboard = await createSwitchboard({ config, log, env: env ?? {}, ...(clock && { clock }) });
    this.stopped = false;
    this.url = (await this.switchboard.start()).url;
  }

  async stop(): Promise<void> {
    if (this.stopped) return;
    this.stopped = true;
    await this.switchboard.stop();
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.open();
  }

  report(name: string) {
    return this.switchboard.core.plugins.list().find((report) => report.name === name);
  }

  async call<T>(
    method: string,
    path: string,
    body?: unknown,
    key = OPERATOR_KEY,
  ): Promise<{ status: number; body: T }> {
    const response = await fetch(this.url + path, {
      method,
      headers: { 'X-API-Key': key, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as T };
  }

  chat = async (agent: string, message: string, more: object = {}): Promise<TaskView> =>
    (await this.call<TaskView>('POST', '/api/a2a/chat', { agent, message, ...more })).body;
  input = async (cid: string, given: { answer: string } | { decision: string }): Promise<TaskView> =>
    (await this.call<TaskView>('POST', '/api/a2a/input', { cid, ...given })).body;
}
