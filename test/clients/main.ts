// `npm run clients`: clients that share no code with the switchboard, against a real server on a fresh home.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { ensureBuilt, startSwitchboard } from '../support/compiled-server.js';
import { makeTestHome } from '../support/test-home.js';

ensureBuilt();
const home = makeTestHome();
const server = await startSwitchboard({ home: home.path });
try {
  const script = fileURLToPath(new URL('plain_client.py', import.meta.url));
  const client = spawn('python3', [script, server.url, home.keys['ann'] as string], { stdio: 'inherit' });
  const [code] = (await once(client, 'close')) as [number | null];
  process.exitCode = code ?? 1;
} finally {
  await server.stop();
  home.remove();
}
