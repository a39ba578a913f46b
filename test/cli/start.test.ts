import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { run } from '../../src/cli/program.js';
import { readServerInfo, serverInfoFile } from '../../src/home.js';
import { FakeTerminal } from '../support/fake-terminal.js';

let home: string;
const running: { io: FakeTerminal; ended: Promise<number> }[] = [];
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "switchboard start's-"));
});
afterEach(async () => {
  for (const { io, ended } of running.splice(0)) {
    io.signal();
    await ended;
  }
  rmSync(home, { recursive: true, force: true });
});

function start(env: Record<string, string> = {}, ...options: string[]) {
  const io = new FakeTerminal();
  const variables = { SWITCHBOARD_HOME: home, SWITCHBOARD_LOG_LEVEL: 'silent', SWITCHBOARD_PORT: '0', ...env };
  const ended = run(['start', ...options], io, variables);
  running.push({ io, ended });
  return { io, ended };
}

const commandsOf = (io: FakeTerminal): string[] => io.stdout.filter((line) => /^(curl|cid)/.test(line));

describe('start', () => {
  it('says where it listens, keeps that in the home, and takes it away at a signal', async () => {
    const { io, ended } = start();
    const url = (await io.line(/^listening on /)).slice('listening on '.length);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(readServerInfo(home)).toMatchObject({ url, pid: process.pid });
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    io.signal();
    expect(await ended).toBe(0);
    expect(existsSync(serverInfoFile(home))).toBe(false);
    await expect(fetch(`${url}/readyz`)).rejects.toThrow();
    expect(io.exits).toEqual([]);
  });

  it('ends at once at the second signal', async () => {
    const { io } = start();
    await io.line(/^listening on /);
    io.signal();
    io.signal();
    expect(io.exits).toEqual([1]);
  });

  it('prints three commands at the first run that work as they stand', async () => {
    const { io } = start();
    await io.line(/^cid=/);
    const [asClient, asOperator, poll] = commandsOf(io);
    const bash = async (command = ''): Promise<Record<string, unknown>> => {
      const { stdout } = await promisify(execFile)('bash', ['-c', command]);
      return JSON.parse(stdout) as Record<string, unknown>;
    };
    expect(JSON.stringify(await bash(asClient))).toContain('"text":"echo: hello"');
    expect(await bash(asOperator)).toMatchObject({ taskState: 'completed', response: 'echo: hello' });
    expect(await bash(poll)).toMatchObject({ taskState: 'completed', response: 'done' });
  });

  it('takes the configured operator key from its variable in the printed commands', async () => {
    const { io } = start({ SWITCHBOARD_OPERATOR_KEY: 'mine-alone' });
    await io.line(/^cid=/);
    expect(io.text).not.toContain('mine-alone');
    expect(commandsOf(io)[1]).toContain('"X-API-Key: $SWITCHBOARD_OPERATOR_KEY"');
  });

  it('makes the demo once and shows its key once', async () => {
    const first = start();
    const [, key = ''] = /only this once: (\S+)/.exec(await first.io.line(/only this once/)) ?? [];
    expect(readFileSync(join(home, 'workspaces', 'demo', '.a2a', 'callers.json'), 'utf8')).not.toContain(key);
    first.io.signal();
    await first.ended;
    const second = start();
    await second.io.line(/^listening on /);
    second.io.signal();
    await second.ended;
    expect(second.io.stdout).toHaveLength(1);
  });

  it('is refused on a home that another server holds', async () => {
    const first = start();
    await first.io.line(/^listening on /);
    const second = start();
    expect(await second.ended).toBe(7);
    expect(second.io.stderr.join('\n')).toContain('Another switchboard runs');
  });

  it('is refused on a port that is taken, and leaves the home free and without a demo', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    try {
      const { io, ended } = start({}, '--port', String((other.address() as AddressInfo).port));
      expect(await ended).toBe(7);
      expect(io.stderr.join('\n')).toContain('EADDRINUSE');
      expect(existsSync(join(home, 'workspaces', 'demo'))).toBe(false);
    } finally {
      other.close();
    }
    await start().io.line(/^listening on /);
  });

  it('checks its options like variables', async () => {
    const { io, ended } = start({}, '--port', 'http');
    expect(await ended).toBe(7);
    expect(io.stderr.join('\n')).toContain('SWITCHBOARD_PORT must be');
  });
});
