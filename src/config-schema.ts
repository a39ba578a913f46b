// What may stand in switchboard.json and in the SWITCHBOARD_* variables, with limits and messages; no reading here.
import { isIP } from 'node:net';
import { z } from 'zod';
import { DURATION, secondsOf } from './duration.js';
import { isAddressRange, isAllowEntry } from './net/address-rules.js';
import { parseUrl } from './net/parse-url.js';
import { NAME, NAME_RULE } from './workspace/names.js';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const DURATION_RULE = 'must be a number of seconds, or a number followed by s, m, h or d';
/** Seconds as a number, or text such as `30m`, `1h`, `7d`. */
const duration = z
  .union([z.number(), z.string().regex(DURATION, DURATION_RULE)], DURATION_RULE)
  .transform((value) => (typeof value === 'number' ? value : secondsOf(value)))
  .pipe(z.number().positive('must be longer than 0').max(31_536_000, 'must be at most a year'));

const positive = z.int('must be a whole number').positive('must be above 0');

const seconds = z.number().positive('must be above 0').max(86_400, 'must be at most a day');

/** As it stands in a Host header, without port. */
const hostName = z
  .string()
  .regex(/^[A-Za-z0-9._-]+$|^\[[0-9A-Fa-f:.]+\]$/, 'must be a host name or address without a port')
  .transform((host) => host.toLowerCase());

const name = z.string().regex(NAME, NAME_RULE);

const url = z
  .string()
  .refine((text) => {
    const parsed = parseUrl(text);
    return (
      parsed !== undefined &&
      /^https?:$/.test(parsed.protocol) &&
      parsed.search + parsed.hash + parsed.username + parsed.password === ''
    );
  }, 'must be an http or https URL without user, query or fragment')
  .transform((text) => text.replace(/\/+$/, ''));

const origin = z
  .string()
  .refine(
    (text) => text === '*' || parseUrl(text)?.origin === text,
    'must be an origin such as https://example.org, or *',
  );

const proxy = z.string().refine((text) => {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  return isIP(text) !== 0 || isAddressRange(text);
}, 'must be an address, a range such as 10.0.0.0/8, or one of loopback, linklocal, uniquelocal');

const allowed = z.string().refine(isAllowEntry, 'must be a host, an address, a range such as 10.0.0.0/8, or *');

const text = z.string().min(1, 'must not be empty');

/** May hold a token in its path or query, as the webhooks of chat services do. */
const webhook = z.string().refine((text) => {
  const parsed = parseUrl(text);
  return parsed !== undefined && /^https?:$/.test(parsed.protocol) && parsed.username + parsed.password === '';
}, 'must be an http or https URL without user');

const skill = z.object({
  id: text,
  name: text,
  description: z.string(),
  tags: z.array(z.string()),
  examples: z.array(z.string()).optional(),
  inputModes: z.array(z.string()).optional(),
  outputModes: z.array(z.string()).optional(),
});

const card = z
  .object({
    name: text,
    description: z.string(),
    version: text,
    skills: z.array(skill),
    iconUrl: url,
    documentationUrl: url,
    provider: z.object({ url, organization: text }),
  })
  .partial();

const port = z.int('must be a whole number').min(0, 'must be 0 to 65535').max(65_535, 'must be 0 to 65535');

const grpc = z
  .object({
    cert: text,
    key: text,
    publicAddress: z.string().regex(/^[^\s/]+:\d{1,5}$/, 'must be host:port'),
  })
  .partial()
  .refine(({ cert, key }) => (cert === undefined) === (key === undefined), 'must name both cert and key, or neither');

const privateJwk = z.looseObject({ kty: text, kid: text.optional() });
export type PrivateJwk = z.infer<typeof privateJwk>;

/** The file's members, each optional; unknown ones are kept apart as warnings. */
export const FILE_SCHEMA = z
  .object({
    v: z.literal(1, 'was written by a newer version'),
    host: text,
    port,
    grpcPort: port,
    grpc,
    cardKeys: z.array(z.union([text, privateJwk], 'must be the path of a key file, or a JWK')),
    // A key travels in a header: visible ASCII only, or no client could ever send it.
    operatorKey: z.string().regex(/^[\x21-\x7e]+$/, 'must be visible ASCII characters without spaces'),
    publicUrl: url,
    durability: z.enum(['process', 'power'], 'must be process or power'),
    logLevel: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`),
    maxHops: positive,
    sessionIdle: duration,
    maxPartBytes: positive,
    maxBodyBytes: positive,
    heartbeatSeconds: z.number().positive('must be above 0'),
    chatWaitSeconds: z.number().min(0, 'must be 0 to 30').max(30, 'must be 0 to 30'),
    turnDeadline: duration,
    followSeconds: z.number().min(0, 'must not be negative'),
    followTimeout: duration,
    maxReceivedBytes: positive,
    expireQuestions: duration,
    retention: z.object({ days: z.number().positive('must be above 0'), maxTasks: z.int().nonnegative() }).partial(),
    rate: z.object({ perMinute: positive, burst: positive }).partial(),
    cooldown: z.record(
      z.string().regex(/^[a-z0-9-]{1,40}(\/.+)?$/, 'must be the name of an agent, or agent/skill'),
      duration,
    ),
    plugins: z.array(text),
    pluginSettings: z.record(name, z.record(z.string(), z.unknown())),
    quota: z
      .object({
        liveTasksPerCaller: positive,
        liveTasks: positive,
        concurrentTurns: positive,
        tasks: positive,
        taskBytes: positive,
        inboxFiles: positive,
        inboxBytes: positive,
      })
      .partial(),
    maxIdleSessions: positive,
    streams: z.object({ perCaller: positive, total: positive }).partial(),
    lockout: z.object({ failures: positive, seconds }).partial(),
    overloadMs: positive,
    drain: duration,
    connections: z
      .object({ max: positive, headersSeconds: seconds, requestSeconds: seconds, keepAliveSeconds: seconds })
      .partial(),
    operatorHosts: z.array(hostName),
    defaultAgent: name,
    card,
    notifier: z
      .union([z.literal('log'), z.strictObject({ webhook })], 'must be "log" or {"webhook": "<url>"}')
      .transform((value) => (value === 'log' ? {} : value)),
    inbound: z.boolean(),
    outbound: z.boolean(),
    allowPrivate: z.array(allowed),
    cardWithoutHeader: z.enum(['hybrid', '1.0', '0.3'], 'must be hybrid, 1.0 or 0.3'),
    idempotentSend: z.boolean(),
    streaming: z.boolean(),
    extendedCards: z.boolean(),
    requiredExtensions: z.array(text),
    corsOrigins: z.array(origin),
    trustedProxies: z.array(proxy),
    // Read anew at every call, and entry by entry, where agents are called; not here, once.
    agents: z.unknown(),
  })
  .partial();

export type FileSettings = z.infer<typeof FILE_SCHEMA>;
