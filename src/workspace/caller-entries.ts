// What a callers.json document says, entry by entry: bad entries, bad keys and repeated names are left out and reported
// by place or name, never by key.
import { z } from 'zod';
import { decodeBase64 } from '../base64.js';
import { keyHash, keyHint, NO_HINT } from './caller-keys.js';
import type { Caller } from './callers.js';
import { nameProblem } from './names.js';
import type { Reading } from './owner-json.js';

interface CallerKey {
  /** SHA-256, lower-case hex. */
  hash: string;
  hint: string;
  /** Milliseconds since the epoch from which it is refused. */
  expiresAt?: number;
  /** The key itself where the file holds it openly; for redaction only. */
  plain?: string;
}

export interface CallerEntry {
  caller: Caller;
  keys: CallerKey[];
  note?: string;
  createdAt?: string;
  /** As written: see `isWebhookSecret`. */
  webhookSecret?: string;
  /** As written; absent = the default. */
  agents?: string[];
}

export interface CallersReading {
  /** By name, in the file's order. */
  entries: Map<string, CallerEntry>;
  problems: string[];
}

const count = z.number().int().nonnegative();
const quotaSchema = z.object({ liveTasksPerCaller: count, liveTasks: count, concurrentTurns: count }).partial();
// What only informs a reader never costs a caller its access.
const remark = z.string().optional().catch(undefined);
const expirySchema = z.union([z.iso.datetime({ offset: true }), z.iso.date()]);
const entrySchema = z.object({
  name: z.string(),
  /** For all of its keys that have none of their own. */
  expiresAt: expirySchema.optional(),
  key: z.string().optional(),
  keys: z.array(z.unknown()).optional(),
  note: remark,
  agents: z.array(z.string()).optional(),
  skills: z.array(z.string()).optional(),
  quota: quotaSchema.optional(),
  webhookSecret: z.string().min(1).optional(),
  createdAt: remark,
});

const keySchema = z.object({
  key: z.string().min(1).optional(),
  hash: z
    .string()
    .regex(/^sha256:[0-9a-fA-F]{64}$/)
    .optional(),
  hint: z.string().optional().catch(undefined),
  expiresAt: expirySchema.optional(),
});

/** True for an ISO 8601 date (its first moment in UTC counts), or a date with time and zone. */
export const isExpiry = (text: string): boolean => expirySchema.safeParse(text).success;

/**
 * One element of `keys`; undefined when it is not usable. An unreadable expiry makes the key unusable, since it must
 * not come to mean "never".
 */
export function readKey(raw: unknown): CallerKey | undefined {
  const parsed = keySchema.safeParse(raw);
  if (!parsed.success) return undefined;
  const { key, hash, hint, expiresAt } = parsed.data;
  const expiry = expiresAt === undefined ? {} : { expiresAt: Date.parse(expiresAt) };
  if (key !== undefined && hash === undefined) return { hash: keyHash(key), hint: keyHint(key), plain: key, ...expiry };
  if (hash === undefined || key !== undefined) return undefined;
  return { hash: hash.slice('sha256:'.length).toLowerCase(), hint: hint?.slice(-4) || NO_HINT, ...expiry };
}

const WEBHOOK_SECRET = /^whsec_(.+)$/;
const MAX_SECRET_BYTES = 1_024;

/** True for `whsec_` and base64: what can sign. */
export function isWebhookSecret(text: string): boolean {
  const bytes = decodeBase64(WEBHOOK_SECRET.exec(text)?.[1] ?? '', MAX_SECRET_BYTES);
  return Buffer.isBuffer(bytes) && bytes.length > 0;
}

function readEntry(workspace: string, raw: unknown, place: string, reading: CallersReading): void {
  const skip = (why: string): void => void reading.problems.push(`${place} is skipped: ${why}`);
  const parsed = entrySchema.safeParse(raw);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return skip(issue && issue.path.length > 0 ? `"${String(issue.path[0])}" is not valid` : 'it is not an object');
  }
  const { name, key, keys = [], expiresAt, agents, skills, quota, note, createdAt, webhookSecret } = parsed.data;
  const badName = nameProblem(name);
  if (badName !== undefined) return skip(`its name ${badName}`);
  if (reading.entries.has(name)) return skip(`there is already a caller "${name}"`);
  const rawKeys = key === undefined ? keys : [{ key }, ...keys];
  const expiry = expiresAt === undefined ? {} : { expiresAt: Date.parse(expiresAt) };
  const usable = rawKeys.map((rawKey) => {
    const usableKey = readKey(rawKey);
    return usableKey && { ...expiry, ...usableKey };
  });
  usable.forEach((parsedKey, at) => {
    if (!parsedKey) reading.problems.push(`key ${at + 1} of caller "${name}" is skipped: it is not valid`);
  });
  if (webhookSecret !== undefined && !isWebhookSecret(webhookSecret)) {
    reading.problems.push(`the webhookSecret of caller "${name}" is not valid: its webhooks are not signed`);
  }
  const caller: Caller = {
    id: `${workspace}/${name}`,
    scope: workspace,
    name,
    workspace,
    agents: agents ?? [workspace],
  };
  if (skills) caller.skills = skills;
  if (quota) caller.quota = quota;
  reading.entries.set(name, {
    caller: Object.freeze(caller),
    keys: usable.filter((parsedKey) => parsedKey !== undefined),
    ...(note !== undefined && { note }),
    ...(createdAt !== undefined && { createdAt }),
    ...(webhookSecret !== undefined && { webhookSecret }),
    ...(agents && { agents }),
  });
}

/** Fails closed: a file that can't be used has no callers. */
export function readCallers(workspace: string, { document, problem }: Reading): CallersReading {
  const reading: CallersReading = { entries: new Map(), problems: [] };
  const list = document?.['callers'] ?? [];
  if (problem !== undefined) reading.problems.push(`${problem}; nobody is let in`);
  else if (!Array.isArray(list)) reading.problems.push('"callers" is not an array; nobody is let in');
  else list.forEach((raw, at) => readEntry(workspace, raw, `entry ${at + 1}`, reading));
  return reading;
}
