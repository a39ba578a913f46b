// A task's webhooks as rows of the mirror's schedule. Pure.
import type { WebhookRow } from '../mirror/push-rows.js';
import { owedTransitions } from './owed-webhooks.js';
import type { PushRegistration, TaskEnvelope } from './records.js';
import { parseUrl } from '../net/parse-url.js';

/** Those that are owed something, are disabled or have dead letters. */
export const webhookRows = (envelope: TaskEnvelope): WebhookRow[] =>
  (envelope.pushConfigs ?? [])
    .map((config) => webhookRow(envelope, config))
    .filter(({ owed, disabled, dead }) => owed || disabled || dead > 0);

function webhookRow(envelope: TaskEnvelope, config: PushRegistration): WebhookRow {
  const [owed] = owedTransitions(envelope, config);
  const dead = (config.dead ?? []).filter(({ again }) => !again);
  return {
    configId: config.id,
    host: hostOf(config.url),
    registeredAt: config.createdAt,
    ...(owed && { owed: { seq: owed.seq, at: owed.at } }),
    disabled: config.disabled !== undefined,
    dead: dead.length,
    ...(dead.length > 0 && { deadAt: Math.max(...dead.map(({ at }) => at)) }),
  };
}

/** Host and port: all that may be said of a webhook's address, whose path and query may hold secrets. */
export const hostOf = (url: string): string => parseUrl(url)?.host ?? '';
