// The real switchboard on a free port with two workspaces and four callers; stopped and removed after all tests of the
// file.
import { afterAll } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../../../src/log.js';
import { createSwitchboard, type Switchboard } from '../../../src/main.js';

/** Keys: callers of alpha are ann and bob, of beta bob; eve belongs to alpha and may use both. */
export const KEYS = { ann: 'key-alpha-ann', bob: 'key-alpha-bob', eve: 'key-alpha-eve', betaBob: 'key-beta-bob' };

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into answers of every shape
  json: any;
}

export class BridgeServer {
  private constructor(
    readonly url: string,
    readonly switchboard: Switchboard,
  ) {}

  static async start(settings: Record<string, unknown> = {}): Promise<BridgeServer> {
    const home = mkdtempSync(join(tmpdir(), 'switchboard-bridge-'));
    const write = (workspace: string, file: string, value: unknown): void => {
      const folder = join(home, 'workspaces', workspace, '.a2a');
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, file), JSON.stringify(value));
    };
    write('alpha', 'callers.json', {
      v: 1,
      callers: [
        { name: 'ann', key: KEYS.ann },
        { name: 'bob', key: KEYS.bob },
        { name: 'eve', key: KEYS.eve, agents: ['alpha', 'beta'] },
      ],
    });
    write('beta', 'callers.json', { v: 1, callers: [{ name: 'bob', key: KEYS.betaBob }] });
    write('hidden', 'workspace.json', { v: 1, exposed: false });
    write('private', 'workspace.json', { v: 1, publicCard: false });
    write('private', 'callers.json', { v: 1, callers: [{ name: 'pia', key: 'key-private-pia' }] });
    writeFileSync(join(home, 'switchboard.json'), JSON.stringify({ v: 1, port: 0, ...settings }));
    const switchboard = await createSwitchboard({
      config: { home, port: 0, host: '127.0.0.1' },
      log: silentLogger(),
    });
    afterAll(async () => {
      await switchboard.stop();
      rmSync(home, { recursive: true, force: true });
    });
    const { url } = await switchboard.start();
    return new BridgeServer(url, switchboard);
  }

  async send(method: string, path: string, options: { key?: string; body?: unknown; headers?: Record<string, string> } = {}): Promise<Answer> {
    const { key = KEYS.bob, body, headers } = options;
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        'A2A-Version': '1.0',
        ...(key && { 'X-API-Key': key }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: parse(text) };
  }

  rpc(method: string, params: unknown, options: { key?: string; path?: string; headers?: Record<string, string> } = {}): Promise<Answer> {
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

let messages = 0;
/** Params of a send: one text, a fresh message id. */
export const sendParams = (text: string, extra: Record<string, unknown> = {}, configuration?: unknown): unknown => ({
  message: { messageId: `m-${++messages}`, role: 'ROLE_USER', parts: [{ text }], ...extra },
  ...(configuration !== undefined && { configuration }),
});
