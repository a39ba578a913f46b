// What a complete configuration holds, and what holds when nobody says otherwise.
import type { PrivateJwk } from './config-schema.js';
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
  /** Seconds during which the same work is refused, by agent or `agent/skill`. Empty: never. */
  cooldown: Record<string, number>;
  /** Packages whose plugins are loaded, besides the files in the home's folder of plugins. */
  plugins: string[];
  /** By plugin: whatever its author asks for. */
  pluginSettings: Record<string, Record<string, unknown>>;
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
  /** Whether a message that a caller sends again is answered by its first task, and its id refused for another one. */
  idempotentSend: boolean;
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
  cooldown: {},
  plugins: [],
  pluginSettings: {},
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
  idempotentSend: true,
  streaming: true,
  extendedCards: true,
  requiredExtensions: [],
  corsOrigins: [],
  trustedProxies: [],
  grpc: {},
  cardKeys: [],
};
