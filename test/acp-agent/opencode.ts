// How opencode is installed and told to use a model on loopback and nothing else.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGE = 'opencode-ai@1.18.33';

/** Installs it below the folder, if it is not there; the path of its program. */
export function installOpencode(folder: string): string {
  const platform = `opencode-${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const program = join(folder, 'node_modules', platform, 'bin', 'opencode');
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private": true}');
  const npm = ['install', '--no-audit', '--no-fund', '--ignore-scripts', PACKAGE];
  const { status, stderr } = spawnSync('npm', npm, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status !== 0 || !existsSync(program)) throw new Error(`opencode could not be installed: ${stderr}`);
  return program;
}

/** The variables that the switchboard has and its driver names. */
export function opencodeVariables(folder: string, modelUrl: string): Record<string, string> {
  const config = join(folder, 'opencode.json');
  const model = { name: 'Fake', tool_call: true, limit: { context: 32_000, output: 4_096 } };
  const provider = { npm: '@ai-sdk/openai-compatible', name: 'Local', options: { baseURL: modelUrl, apiKey: 'none' } };
  writeFileSync(
    config,
    JSON.stringify({
      autoupdate: false,
      share: 'disabled',
      model: 'local/fake-1',
      small_model: 'local/fake-1',
      enabled_providers: ['local'],
      permission: { edit: 'ask', bash: 'ask', webfetch: 'deny' },
      provider: { local: { ...provider, models: { 'fake-1': model } } },
    }),
  );
  const off = ['AUTOUPDATE', 'MODELS_FETCH', 'LSP_DOWNLOAD', 'DEFAULT_PLUGINS', 'SHARE', 'CLAUDE_CODE'];
  return {
    OPENCODE_CONFIG: config,
    OPENCODE_SERVER_PASSWORD: 'a-password-of-this-run',
    npm_config_offline: 'true',
    NPM_CONFIG_OFFLINE: 'true',
    ...Object.fromEntries(off.map((name) => [`OPENCODE_DISABLE_${name}`, '1'])),
  };
}
