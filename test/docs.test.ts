// The examples of docs/a2a.md do what stands beside them, as they are.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { KEYS, useBridgeServer } from './surfaces/a2a-bridge/bridge-server.js';

const server = useBridgeServer({ grpcPort: 0 });
const document = readFileSync(new URL('../docs/a2a.md', import.meta.url), 'utf8');
const examples = [...document.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, script]) => script as string);

/** Runs a script in a shell; its output. The server is in this process, so waiting must not block. */
function run(script: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, URL: server.url, KEY: KEYS.bob };
    const shell = spawn('bash', ['-e', '-o', 'pipefail', '-c', script], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    shell.stdout.on('data', (chunk) => (output += String(chunk)));
    shell.on('error', reject);
    shell.on('close', (code) => (code === 0 ? resolve(output) : reject(new Error(`${code}: ${output}`))));
  });
}

describe('the examples for callers', () => {
  it.each(examples.map((script) => [(script.split('\n')[0] as string).slice(0, 60), script]))(
    'work as they are: %s',
    async (_first, script) => {
      // The demo workspace of the document is this server's alpha, and its refusal over gRPC is one with details.
      const output = await run(script.replaceAll('/agents/demo/', '/agents/alpha/'));
      expect(output).not.toMatch(/"error"|"code":-/);
      expect(output).toMatch(/"(?:name|task|tasks|kind|reason)"/);
    },
  );

  it('name every reason that the protocol has for an error', () => {
    for (const reason of ['TASK_NOT_FOUND', 'EXTENSION_SUPPORT_REQUIRED', 'VERSION_NOT_SUPPORTED', 'BUSY', 'QUOTA']) {
      expect(document).toContain(reason);
    }
  });
});
