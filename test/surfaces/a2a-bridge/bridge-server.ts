// The real switchboard on a free port with two workspaces and four callers; stopped and removed after all tests of the
// file.
import { afterAll, beforeAll } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../../src/clock.js';
import { createLogger } from '../../../src/log.js';
import { Secrets } from '../../../src/secrets/secrets.js';
import { createSwitchboard, type Switchboard } from '../../../src/main.js';
import type { Plugin } from '../../../src/plugin.js';

/**
 * Keys: callers of alpha are ann and bob, of beta bob; eve belongs to alpha and may use both, max the agent that a test
 * may have added as `manual`, mia that one alone. */
export const KEYS = {
  ann: 'key-alpha-ann',
  bob: 'key-alpha-bob',
  eve: 'key-alpha-eve',
  max: 'key-alpha-max',
  mia: 'key-alpha-mia',
  betaBob: 'key-beta-bob',
  pia: 'key-private-pia',
};

export const OPERATOR_KEY = 'operator-key-of-a-bridge-test';
/** Tests bring many wrong keys, and share the processor with others. */
const PLENTY = 1_000_000_000;

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into answers of every shape
  json: any;
}

interface SendOptions {
  key?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

export class BridgeServer {
  url = '';
  /** Whether the settings say so. */
  speaksGrpc = false;
  switchboard!: Switchboard;
  /** Every line that was logged. */
  readonly log: string[] = [];
  /** The system's clock when absent. */
  clock: Clock | undefined;
  private readonly home = mkdtempSync(join(tmpdir(), 'switchboard-bridge-'));

  async start(settings: Record<string, unknown>, plugins: readonly Plugin[] = []): Promise<void> {
    this.write('alpha', 'callers.json', {
      v: 1,
      callers: [
        { name: 'ann', key: KEYS.ann },
        { name: 'bob', key: KEYS.bob },
        { name: 'eve', key: KEYS.eve, agents: ['alpha', 'beta'] },
        { name: 'max', key: KEYS.max, agents: ['alpha', 'manual'] },
        { name: 'mia', key: KEYS.mia, agents: ['manual'] },
      ],
    });
    this.write('beta', 'callers.json', { v: 1, callers: [{ name: 'bob', key: KEYS.betaBob }] });
    this.write('hidden', 'workspace.json', { v: 1, exposed: false });
    this.write('private', 'workspace.json', { v: 1, publicCard: false });
    this.write('private', 'callers.json', { v: 1, callers: [{ name: 'pia', key: KEYS.pia }] });
    const rate = { perMinute: 1_000_000, burst: 1_000_000 };
    const all = {
      v: 1,
      operatorKey: OPERATOR_KEY,
      rate,
      lockout: { failures: PLENTY },
      overloadMs: PLENTY,
      ...settings,
    };
    writeFileSync(join(this.home, 'switchboard.json'), JSON.stringify(all));
    await this.open(plugins);
  }

  /** A new process on the same home. */
  async restart({ withoutDatabase = false } = {}): Promise<void> {
    await this.switchboard.stop();
    if (withoutDatabase) rmSync(join(this.home, 'data', 'mirror.sqlite'));
    await this.open();
  }

  private async open(plugins: readonly Plugin[] = []): Promise<void> {
    const config = { home: this.home, port: 0, host: '127.0.0.1' };
    const log = createLogger('info', new Secrets(), { write: (line) => void this.log.push(line) });
    this.switchboard = await createSwitchboard({ config, log, plugins, ...(this.clock && { clock: this.clock }) });
    this.url = (await this.switchboard.start()).url;
  }

  async stop(): Promise<void> {
    await this.switchboard?.stop();
    rmSync(this.home, { recursive: true, force: true });
  }

  /** Absolute path of a workspace's folder. */
  workspace(name: string): string {
    return join(this.home, 'workspaces', name);
  }

  /** Writes a file of a workspace; the next request sees it. */
  write(workspace: string, file: string, value: unknown): void {
    const folder = join(this.home, 'workspaces', workspace, '.a2a');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, file), JSON.stringify(value));
  }

  async send(method: string, path: string, options: SendOptions = {}): Promise<Answer> {
    const response = await this.fetch(method, path, options);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: parse(text) };
  }

  /** The request alone, for reading the answer piece by piece. */
  fetch(method: string, path: string, options: SendOptions = {}): Promise<Response> {
    const { key = KEYS.bob, body, headers } = options;
    return fetch(`${this.url}${path}`, {
      method,
      headers: {
        'A2A-Version': '1.0',
        ...(key && { 'X-API-Key': key }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  }

  /** The operator's decision on a task that waits for it. */
  async decide(cid: string, decision: 'approve' | 'decline'): Promise<void> {
    const { status, text } = await this.send('POST', '/api/a2a/input', { key: OPERATOR_KEY, body: { cid, decision } });
    if (status >= 300) throw new Error(text);
  }

  rpc(
    method: string,
    params: unknown,
    options: { key?: string; path?: string; headers?: Record<string, string> } = {},
  ): Promise<Answer> {
    const { path = '/a2a', ...rest } = options;
    return this.send('POST', path, { ...rest, body: { jsonrpc: '2.0', id: 7, method, params } });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The frames of a stream, as {id, event}. */
export const frames = (text: string): { id: string; event: unknown }[] =>
  text
    .split('\n\n')
    .filter((frame) => frame.includes('data: '))
    .map((frame) => ({
      id: /^id: (.*)$/m.exec(frame)?.[1] ?? '',
      event: JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] ?? '{}') as unknown,
    }));

let messages = 0;
/** Params of a send: one text, a fresh message id. */
export const sendParams = (text: string, extra: Record<string, unknown> = {}, configuration?: unknown): unknown => ({
  message: { messageId: `m-${++messages}`, role: 'ROLE_USER', parts: [{ text }], ...extra },
  ...(configuration !== undefined && { configuration }),
});

/** A server for all tests of the file. */
export function useBridgeServer(
  settings: Record<string, unknown> = {},
  plugins: readonly Plugin[] = [],
  clock?: Clock,
): BridgeServer {
  const server = new BridgeServer();
  server.speaksGrpc = settings['grpcPort'] !== undefined;
  server.clock = clock;
  beforeAll(() => server.start(settings, plugins));
  afterAll(() => server.stop());
  return server;
}
