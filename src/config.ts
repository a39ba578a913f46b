// The only reader of process.env and of switchboard.json. The result is complete, validated and frozen.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { z } from 'zod';
import { FILE_SCHEMA, type FileSettings, type PrivateJwk } from './config-schema.js';
import type { Variables } from './environment.js';
import { AppError, errorText } from './errors.js';
import { configFile } from './home.js';
import { readJson } from './read-json.js';
import type { CardSource, Quota, StorageQuota } from './workspace/settings.js';

export interface Config {
  /** Absolute path of the folder the server runs on. */
  home: string;
  host: string;
  /** 0 takes a free port. */
  port: number;
  /** From the environment or the file; when absent one is generated into `data/`. */
  operatorKey?: string;
  /** Base URL that cards advertise, without trailing slash. */
  publicUrl?: string;
  durability: 'process' | 'power';
  logLevel: string;
  maxHops: number;
  sessionIdleSeconds: number;
  /** Bytes of one file part. */
  maxPartBytes: number;
  /** Bytes of one request body. */
  maxBodyBytes: number;
  heartbeatSeconds: number;
  chatWaitSeconds: number;
  turnDeadlineSeconds: number;
  /** How long the work of a remote agent is followed closely, and how long at all. */
  followSeconds: number;
  followTimeoutSeconds: number;
  /** Bytes of one file that a remote agent sends. */
  maxReceivedBytes: number;
  /** How long a question waits for its answer, where a workspace says nothing else; also for the operator's own tasks. */
  expireQuestionsSeconds: number;
  /** How long ended tasks stay, and how many of a workspace; likewise. */
  retention: { days: number; maxTasks?: number };
  rate: { perMinute: number; burst: number };
  quota: Quota & StorageQuota;
  /** Sessions that stay open without running a turn. */
  maxIdleSessions: number;
  /** Streams that are open at the same time. */
  streams: { perCaller: number; total: number };
  /** Wrong keys that one address may bring within `seconds`; then it is locked for as long. */
  lockout: { failures: number; seconds: number };
  /** The event loop counts as overloaded when it is late by this much, in milliseconds. */
  overloadMs: number;
  /** How long running turns may go on when the server stops. */
  drainSeconds: number;
  connections: {
    /** Open ones; more are closed at once. */
    max: number;
    /** Until all headers of a request are there. */
    headersSeconds: number;
    /** Until the whole request is there. */
    requestSeconds: number;
    /** How long a connection may be idle. */
    keepAliveSeconds: number;
  };
  /** Further names under which the operator's surface is reached, lower case, without ports. */
  operatorHosts: string[];
  defaultAgent?: string;
  /** The generic card's own words, when the operator wants others than the default. */
  card?: Partial<CardSource>;
  /** Who passes on what is for owners: the log, and a webhook if one is named. Absent: nobody, and no agent offers it. */
  notifier?: { webhook?: string };
  /** Inbound and outbound halves can be switched off separately. */
  inbound: boolean;
  outbound: boolean;
  /** Hosts and addresses (also with a port), ranges or `*` that outbound HTTP may reach although private, also over http. */
  allowPrivate: string[];
  /** The card's document for clients that name no version. */
  cardWithoutHeader: 'hybrid' | '1.0' | '0.3';
  /** Whether callers may follow a task as a stream; otherwise they poll, or register webhooks. */
  streaming: boolean;
  /** Whether callers may read a card of what is theirs to use. */
  extendedCards: boolean;
  /** URIs of A2A extensions that every request must list. */
  requiredExtensions: string[];
  corsOrigins: string[];
  trustedProxies: string[];
  /** Where gRPC is spoken, on `host`; 0 takes a free port, absent: nowhere. */
  grpcPort?: number;
  grpc: {
    /** Absolute paths of PEM files; both or neither. Without them gRPC is spoken in the clear. */
    cert?: string;
    key?: string;
    /** What cards advertise instead of the listener's own `host:port`, e.g. behind a proxy. */
    publicAddress?: string;
  };
  /** Private keys that sign cards: absolute paths of PEM or JWK files, or JWKs. All of them sign. */
  cardKeys: (string | PrivateJwk)[];
  /** Kill the process at this named write, for crash tests: `name` or `name:n` for the n-th time. */
  failpoint?: string;
}

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

/** What holds when neither the file nor a variable says otherwise. */
export const DEFAULTS: Omit<Config, 'home'> = {
  host: '127.0.0.1',
  port: 7420,
  durability: 'process',
  logLevel: 'info',
  maxHops: 3,
  sessionIdleSeconds: 1800,
  maxPartBytes: 10 * MIB,
  // A part of the full size in base64 (four thirds) and room for the rest of the message.
  maxBodyBytes: 16 * MIB,
  heartbeatSeconds: 8,
  chatWaitSeconds: 30,
  turnDeadlineSeconds: 3600,
  followSeconds: 60,
  followTimeoutSeconds: 86_400,
  maxReceivedBytes: 200 * MIB,
  expireQuestionsSeconds: 7 * 86_400,
  retention: { days: 90 },
  rate: { perMinute: 60, burst: 300 },
  quota: {
    liveTasksPerCaller: 1000,
    liveTasks: 10_000,
    concurrentTurns: 64,
    tasks: 1_000_000,
    taskBytes: 20 * GIB,
    inboxFiles: 10_000,
    inboxBytes: 2 * GIB,
  },
  maxIdleSessions: 1000,
  streams: { perCaller: 100, total: 10_000 },
  lockout: { failures: 20, seconds: 60 },
  overloadMs: 200,
  drainSeconds: 10,
  // Idle connections live longer than the 60 s after which proxies drop theirs: the proxy must be the one to close.
  connections: { max: 10_000, headersSeconds: 10, requestSeconds: 120, keepAliveSeconds: 75 },
  operatorHosts: [],
  inbound: true,
  outbound: true,
  allowPrivate: [],
  cardWithoutHeader: 'hybrid',
  streaming: true,
  extendedCards: true,
  requiredExtensions: [],
  corsOrigins: [],
  trustedProxies: [],
  grpc: {},
  cardKeys: [],
};

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
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') problems.push(`${path}: ${errorText(error)}`);
    return {};
  }
  const reading = readJson(text);
  if ('fault' in reading) {
    problems.push(`${path}: ${reading.fault}`);
    return {};
  }
  const content = reading.value;
  if (typeof content === 'object' && content !== null && !Array.isArray(content)) {
    return content as Record<string, unknown>;
  }
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
