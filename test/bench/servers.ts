// The servers that are compared: ours as users run it, the SDK's own. Each in a fresh folder, each in its own process.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { PROJECT, startSwitchboard } from '../support/compiled-server.js';
import { startServerChild, type ServerChild } from '../support/server-child.js';
import { makeTestHome, type TestHome } from '../support/test-home.js';
import { freshFolder } from './fresh-folder.js';
import type { Target } from './load.js';
import { compiledScript } from './script.js';

export interface BenchServer {
  target: Target;
  child: ServerChild;
  close(): Promise<void>;
}

export interface OwnServer extends BenchServer {
  home: TestHome;
}

/** Our server on a fresh home: journal, keys and sessions on, limits out of the way. */
export async function ownServer(
  durability: 'process' | 'power',
  options: { nodeFlags?: readonly string[]; settings?: Record<string, unknown> } = {},
): Promise<OwnServer> {
  const { path } = freshFolder();
  const home = makeTestHome({ settings: { durability, ...options.settings }, below: path });
  return onHome(home, durability, options.nodeFlags);
}

/** Our server on a home that exists. */
export async function onHome(home: TestHome, name: string, nodeFlags: readonly string[] = []): Promise<OwnServer> {
  const child = await startSwitchboard({ home: home.path, nodeFlags, timeoutMs: 120_000 });
  return {
    home,
    child,
    target: { name: `switchboard (${name})`, pid: child.pid, port: child.port, path: '/a2a', key: home.keys['ann'] },
    close: async () => void (await child.stop()),
  };
}

export async function sdkServer(store: 'memory' | 'sqlite'): Promise<BenchServer> {
  const args = [compiledScript('sdk-server'), store];
  if (store === 'sqlite') {
    const file = join(freshFolder().path, 'tasks.sqlite');
    const migrate = join(PROJECT, 'node_modules', '@a2a-js', 'sdk', 'dist', 'cli', 'a2a_db.js');
    const upgrade = [migrate, 'upgrade', '--url', `sqlite:${file}`, '--store', 'tasks'];
    execFileSync(process.execPath, upgrade, { cwd: PROJECT, stdio: 'pipe' });
    args.push(file);
  }
  const child = await startServerChild(args, { cwd: PROJECT });
  return {
    child,
    target: { name: `SDK (${store})`, pid: child.pid, port: child.port, path: '/a2a' },
    close: async () => void (await child.stop()),
  };
}

/** The SDK's database store needs a query builder that this project itself does not use. */
export function sqliteStoreAvailable(): boolean {
  try {
    import.meta.resolve('kysely');
    return true;
  } catch {
    return false;
  }
}
