// The fingerprint of what a sender chose in a message: a resend under the same id must carry the same.
import { hash } from 'node:crypto';
import type { Message } from '../a2a-model.js';

/** A message is asked about several times on its way in; it never changes. */
const known = new WeakMap<Message, string>();

/** Base64url SHA-256 over the parts, the named task and context, and the metadata. The message id is not part of it. */
export function messageHash(message: Message): string {
  const before = known.get(message);
  if (before !== undefined) return before;
  const chosen = [message.parts, message.taskId ?? '', message.contextId ?? '', message.metadata ?? null];
  const fingerprint = hash('sha256', JSON.stringify(chosen), 'base64url');
  known.set(message, fingerprint);
  return fingerprint;
}
