// The only reader of process.env and of switchboard.json. The result is complete, validated and frozen.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { z } from 'zod';
import { FILE_SCHEMA, type FileSettings } from './config-schema.js';
import type { Variables } from './environment.js';
import { AppError, errorText, isMissing } from './errors.js';
import { configFile } from './home.js';
import { isObject, readJson } from './read-json.js';
import { DEFAULTS, type Config } from './config-values.js';

export { DEFAULTS, type Config } from './config-values.js';

/** Variable → the member of the file it overrides. SWITCHBOARD_HOME and SWITCHBOARD_FAILPOINT have none. */
const VARIABLES = {
  SWITCHBOARD_HOST: 'host',
  SWITCHBOARD_PORT: 'port',
  SWITCHBOARD_GRPC_PORT: 'grpcPort',
  SWITCHBOARD_OPERATOR_KEY: 'operatorKey',
  SWITCHBOARD_PUBLIC_URL: 'publicUrl',
  SWITCHBOARD_ALLOW_PRIVATE: 'allowPrivate',
  SWITCHBOARD_DURABILITY: 'durability',
  SWITCHBOARD_LOG_LEVEL: 'logLevel',
} as const satisfies Record<string, keyof FileSettings>;

export interface LoadOptions {
  /** The process's own environment when absent. */
  env?: Variables;
  /** Variables given on a command line: they win over `env` and are checked like it. */
  flags?: Readonly<Record<string, string | undefined>>;
  /** Path of the settings file; `switchboard.json` in the home when absent. A missing file means no settings. */
  file?: string;
  /** What a command line or an embedding program decides; wins over everything and is not validated again. */
  overrides?: Partial<Config>;
}

export interface LoadedConfig {
  config: Config;
  /** The environment it was read from, for variables that other settings name. */
  variables: Variables;
  /** Settings and variables that nothing reads, probably misspelt. */
  warnings: string[];
}

/** Reads, validates and completes the settings. Throws one AppError `config` that lists every problem. */
export function loadConfig(options: LoadOptions = {}): LoadedConfig {
  const env = { ...(options.env ?? process.env), ...options.flags };
  const home = resolve(options.overrides?.home ?? (env.SWITCHBOARD_HOME || './home'));
  const path = options.file ?? configFile(home);
  const warnings: string[] = [];
  const problems: string[] = [];

  const fromFile = check(readSettings(path, problems), (field) => `${path}: ${field}`, problems);
  const fromEnv = check(readVariables(env, warnings), variableOf, problems);
  for (const field of fromFile.unknown) warnings.push(`${path}: there is no setting ${field}`);
  if (problems.length > 0) throw new AppError('config', ['The configuration is not usable:', ...problems].join('\n- '));

  const { v: _v, agents: _agents, ...settings } = { ...fromFile.settings, ...fromEnv.settings };
  const { sessionIdle, turnDeadline, followTimeout, expireQuestions, drain, ...rest } = settings;
  const { retention, rate, quota, streams, lockout, connections, grpc, cardKeys, ...plain } = rest;
  const config: Config = {
    ...DEFAULTS,
    ...plain,
    ...(sessionIdle === undefined ? {} : { sessionIdleSeconds: sessionIdle }),
    ...(turnDeadline === undefined ? {} : { turnDeadlineSeconds: turnDeadline }),
    ...(followTimeout === undefined ? {} : { followTimeoutSeconds: followTimeout }),
    ...(drain === undefined ? {} : { drainSeconds: drain }),
    ...(expireQuestions === undefined ? {} : { expireQuestionsSeconds: expireQuestions }),
    retention: { ...DEFAULTS.retention, ...retention },
    rate: { ...DEFAULTS.rate, ...rate },
    streams: { ...DEFAULTS.streams, ...streams },
    lockout: { ...DEFAULTS.lockout, ...lockout },
    connections: { ...DEFAULTS.connections, ...connections },
    quota: { ...DEFAULTS.quota, ...quota },
    grpc: { ...grpc, ...pathsIn(home, { cert: grpc?.cert, key: grpc?.key }) },
    cardKeys: (cardKeys ?? []).map((key) => (typeof key === 'string' ? resolve(home, key) : key)),
    ...(env.SWITCHBOARD_FAILPOINT ? { failpoint: env.SWITCHBOARD_FAILPOINT } : {}),
    ...options.overrides,
    home,
  };
  return { config: deepFreeze(structuredClone(config)), variables: env, warnings };
}

/** Paths of files are relative to the home. */
const pathsIn = <K extends string>(home: string, paths: Record<K, string | undefined>): Partial<Record<K, string>> =>
  Object.fromEntries(
    Object.entries<string | undefined>(paths).flatMap(([name, path]) =>
      path === undefined ? [] : [[name, resolve(home, path)]],
    ),
  ) as Partial<Record<K, string>>;

function readSettings(path: string, problems: string[]): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (!isMissing(error)) problems.push(`${path}: ${errorText(error)}`);
    return {};
  }
  const reading = readJson(text);
  if ('fault' in reading) {
    problems.push(`${path}: ${reading.fault}`);
    return {};
  }
  const content = reading.value;
  if (isObject(content)) return content;
  problems.push(`${path}: must hold one JSON object`);
  return {};
}

function readVariables(env: Readonly<Record<string, string | undefined>>, warnings: string[]): Record<string, unknown> {
  const settings: Record<string, unknown> = {};
  for (const [variable, value] of Object.entries(env)) {
    if (!variable.startsWith('SWITCHBOARD_') || value === undefined) continue;
    if (variable in VARIABLES) {
      // An empty variable is how shells and compose files say "not set".
      if (value === '') continue;
      const field = VARIABLES[variable as keyof typeof VARIABLES];
      settings[field] = valueOf(field, value);
    } else if (variable !== 'SWITCHBOARD_HOME' && variable !== 'SWITCHBOARD_FAILPOINT') {
      warnings.push(`there is no variable ${variable}`);
    }
  }
  return settings;
}

function valueOf(field: keyof FileSettings, text: string): unknown {
  if ((field === 'port' || field === 'grpcPort') && /^\d+$/.test(text)) return Number(text);
  return field === 'allowPrivate' ? text.split(',').flatMap((entry) => entry.trim() || []) : text;
}

function check(
  values: Record<string, unknown>,
  nameOf: (field: string) => string,
  problems: string[],
): { settings: FileSettings; unknown: string[] } {
  const unknown = Object.keys(values).filter((field) => !(field in FILE_SCHEMA.shape));
  const result = FILE_SCHEMA.safeParse(values);
  if (result.success) return { settings: result.data, unknown };
  for (const issue of result.error.issues) problems.push(`${nameOf(pathOf(issue))} ${issue.message}`);
  return { settings: {}, unknown };
}

const pathOf = (issue: z.core.$ZodIssue): string =>
  issue.path.map((step, i) => (typeof step === 'number' ? `[${step}]` : `${i > 0 ? '.' : ''}${String(step)}`)).join('');

function variableOf(path: string): string {
  const [field] = path.split('[', 1);
  return Object.entries(VARIABLES).find(([, member]) => member === field)?.[0] ?? path;
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) deepFreeze(member);
    Object.freeze(value);
  }
  return value;
}
