// The operator's words as a message: bytes stored where the task keeps its own, nothing undefined in it.
import type { Message } from '../../../src/a2a-model.js';
import { AppError } from '../../../src/errors.js';
import type { WirePart } from '../../../src/operator-wire.js';
import type { Core } from '../../../src/plugin.js';
import type { BlobRef } from '../../../src/workspace/blob-store.js';
import { messageIdFor } from './idempotency.js';
import { partsFromWire } from './wire-parts.js';

interface Words {
  text?: string;
  parts?: WirePart[];
  contextId?: string;
  taskId?: string;
  idempotencyKey?: string;
}

/**
 * Throws `invalid-params` unless there is either a text or parts; `names` says what the members are called. `put` stores
 * the bytes of files.
 */
export function operatorMessage(
  core: Pick<Core, 'config' | 'newId'>,
  words: Words,
  names: string,
  put: (bytes: Buffer) => BlobRef,
): Message {
  const { text, contextId, taskId, idempotencyKey } = words;
  if ((text === undefined) === (words.parts === undefined)) {
    throw new AppError('invalid-params', `Exactly one of ${names} must be given.`);
  }
  const { maxPartBytes } = core.config;
  const parts = words.parts && partsFromWire(words.parts, { put, maxPartBytes });
  return {
    messageId: idempotencyKey === undefined ? core.newId() : messageIdFor(idempotencyKey),
    role: 'ROLE_USER',
    parts: parts ?? [{ text: text as string }],
    ...(contextId !== undefined && { contextId }),
    ...(taskId !== undefined && { taskId }),
  };
}
