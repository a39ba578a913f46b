// The signature of a notification as Standard Webhooks has it: HMAC-SHA256 over id, time and body. Pure.
import { createHmac } from 'node:crypto';

const PREFIX = 'whsec_';

/** The value of `webhook-signature`. `secret` is base64, with or without its prefix; `timestamp` in seconds. */
export function signatureOf(secret: string, id: string, timestamp: number, body: string): string {
  const key = Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}
