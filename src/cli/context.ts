// What every command gets: the terminal, the configuration, and the way to the server of this home or another.
import type { Command } from 'commander';
import { loadConfig, type Config, type LoadedConfig, type LoadOptions } from '../config.js';
import { AppError } from '../errors.js';
import { isHomeLocked } from '../home-lock.js';
import { readOperatorKey, readServerInfo, type ServerInfo } from '../home.js';
import { isLoopbackName } from '../http/local-url.js';
import { parseUrl } from '../net/parse-url.js';
import { EXIT, type ExitCode, Unreachable } from './exit-codes.js';
import type { Io } from './io.js';
import { OperatorClient } from './operator-client.js';

export interface GlobalOptions {
  home?: string;
  url?: string;
  json?: boolean;
}

/** One run of the program. Actions return their exit code. */
export interface Context {
  io: Io;
  env: LoadOptions['env'];
  /** Tells what is amiss, once in a run. */
  warn(problem: string): void;
  /** Hangs an action on a command: its arguments, then its own and the global options. */
  act<A extends unknown[], O extends object>(
    command: Command,
    action: (options: O & GlobalOptions, ...args: A) => Promise<ExitCode> | ExitCode,
  ): void;
}

/** The configuration of the home that the options name; misspelt settings are pointed out. */
export function settings(context: Context, options: GlobalOptions, flags: Record<string, string> = {}): Config {
  return loaded(context, options, flags).config;
}

function loaded(context: Context, { home }: GlobalOptions, flags: Record<string, string> = {}): LoadedConfig {
  const named = home === undefined ? {} : { SWITCHBOARD_HOME: home };
  const found = loadConfig({ env: context.env, flags: { ...flags, ...named } });
  for (const warning of found.warnings) context.warn(warning);
  return found;
}

/**
 * The server that runs on a home, by its file, its process and its lock; undefined when there is none. In a copy of a home the
 * file names the server of the original, whose callers are none of the copy's.
 */
export function runningServer(home: string): ServerInfo | undefined {
  const info = readServerInfo(home);
  return info !== undefined && isAlive(info.pid) && isHomeLocked(home) ? info : undefined;
}

/** The operator client of `--url`, else of the server that runs on the home; undefined when none does. */
export function findClient(context: Context, options: GlobalOptions): OperatorClient | undefined {
  const { config, variables } = loaded(context, options);
  const own = runningServer(config.home)?.url;
  const url = options.url === undefined ? own : addressOf(options.url);
  if (url === undefined) return undefined;
  // Elsewhere the home's own key would be a stranger's to read.
  const isHere = url === own || isLoopbackName(new URL(url).hostname);
  const ownKey = isHere ? (config.operatorKey ?? readOperatorKey(config.home)) : undefined;
  const key = variables.SWITCHBOARD_OPERATOR_KEY || ownKey;
  if (key === undefined) throw new AppError('unauthenticated', 'There is no operator key for that server.');
  return new OperatorClient(url, key);
}

function addressOf(text: string): string {
  const url = parseUrl(text);
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new AppError(
      'invalid-params',
      '--url takes an address such as http://127.0.0.1:7420, without user or password.',
    );
  return text.replace(/\/+$/, '');
}

/** As above; throws Unreachable when there is no server. */
export function client(context: Context, options: GlobalOptions): OperatorClient {
  const found = findClient(context, options);
  if (found !== undefined) return found;
  const { home } = settings(context, options);
  throw new Unreachable(`No switchboard runs on ${home}. Start it with "switchboard start", or name one with --url.`);
}

/** Prints one result: as JSON where asked for, else as the lines say. */
export function print(context: Context, options: GlobalOptions, value: unknown, lines: () => string[]): ExitCode {
  if (options.json === true) context.io.out(JSON.stringify(value, null, 2));
  else for (const line of lines()) context.io.out(line);
  return EXIT.ok;
}

/** The same for a list; what is wrong with the files behind it goes to standard error, and makes the list a failure. */
export function printList<T extends { problems?: string[] | undefined }>(
  context: Context,
  options: GlobalOptions,
  value: T,
  lines: () => string[],
): ExitCode {
  print(context, options, value, lines);
  for (const problem of value.problems ?? []) context.io.err(problem);
  return value.problems === undefined ? EXIT.ok : EXIT.config;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
