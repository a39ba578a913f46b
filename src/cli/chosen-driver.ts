// What runs a new workspace, as the options of init say it.
import { AppError } from '../errors.js';
import { checkDriver } from '../workspace/driver-settings.js';
import { commandWords } from './command-words.js';

export interface DriverOptions {
  llm?: string;
  model?: string;
  keyEnv?: string;
  acp?: string;
  env?: string;
  permissions?: string;
}

/** `driver` of the workspace.json; undefined for the default. Throws `invalid-params` for what does not go together. */
export function chosenDriver(options: DriverOptions): { name: string } | undefined {
  const { llm, acp, env, permissions, keyEnv } = options;
  if (llm !== undefined && acp !== undefined) throw new AppError('invalid-params', 'Choose one of --llm and --acp.');
  if (acp === undefined && (env ?? permissions) !== undefined) {
    throw new AppError('invalid-params', 'Options --env and --permissions belong to --acp.');
  }
  if (llm === undefined && keyEnv !== undefined) {
    throw new AppError('invalid-params', 'Option --key-env belongs to --llm.');
  }
  const driver = acp === undefined ? llmDriver(options) : acpDriver(acp, options);
  if (driver) checkDriver(driver);
  return driver;
}

function llmDriver({ llm, model, keyEnv }: DriverOptions): { name: string } | undefined {
  if (llm === undefined && model === undefined) return undefined;
  if (llm === undefined || model === undefined) {
    throw new AppError('invalid-params', 'A language model needs both --llm and --model.');
  }
  return { name: 'llm', baseUrl: llm, model, ...(keyEnv !== undefined && { keyEnv }) } as { name: string };
}

function acpDriver(line: string, { env, permissions, model }: DriverOptions): { name: string } {
  const [command, ...args] = commandWords(line);
  const names = env?.split(',').flatMap((variable) => variable.trim() || []) ?? [];
  const driver = { name: 'acp', command, args, env: names, permissions: permissions ?? 'ask' };
  return model === undefined ? driver : ({ ...driver, model } as { name: string });
}
