// The fingerprint of what a sender chose in a message: a resend under the same id must carry the same.
import { createHash } from 'node:crypto';
import type { Message } from '../a2a-model.js';

/** Base64url SHA-256 over the parts, the named task and context, and the metadata. The message id is not part of it. */
export function messageHash(message: Message): string {
  const chosen = [message.parts, message.taskId ?? '', message.contextId ?? '', message.metadata ?? null];
  return createHash('sha256').update(JSON.stringify(chosen)).digest('base64url');
}
