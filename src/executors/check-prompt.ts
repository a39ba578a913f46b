// Whether a prompt can be one at all, whoever submits it: plugins that are written in JavaScript have no compiler to tell
// them, and what is stored must be there when it is read again.
import { AppError } from '../errors.js';
import { isContextId } from '../workspace/names.js';
import type { NewPrompt } from './prompt-port.js';
import { isPart } from './usable-parts.js';

/** Throws AppError `invalid-params`. */
export function checkPrompt(prompt: NewPrompt): void {
  const { contextId, message, caller } = prompt;
  for (const field of ['agent', 'skill', 'subject', 'lookIn', 'taskId', 'contextId'] as const) {
    if (prompt[field] !== undefined && typeof prompt[field] !== 'string') throw wrong(field, 'must be a text');
  }
  if (contextId !== undefined && !isContextId(contextId)) {
    throw wrong('contextId', 'must be 1 to 100 characters of a-z, A-Z, 0-9, - and _');
  }
  if (!isText(caller?.id) || !isText(caller.scope)) throw wrong('caller', 'must have an id and a scope');
  if (!isText(message?.messageId)) throw wrong('message.messageId', 'must be a text');
  if (!Array.isArray(message.parts) || message.parts.length === 0) throw wrong('message.parts', 'must not be empty');
  for (const [at, part] of message.parts.entries()) {
    // Texts can be long, and are looked at no further.
    if (!isPart(part) || !isPlain(part.metadata) || ('data' in part && !isPlain(part.data)))
      throw wrong(`message.parts[${at}]`, 'must hold a text, data, a url or a stored file');
  }
  if (!isPlain(message.metadata)) throw wrong('message.metadata', 'must be plain JSON');
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** What can be written down and read again. */
function isPlain(value: unknown): boolean {
  if (value === undefined) return true;
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}

function wrong(field: string, description: string): AppError {
  return new AppError('invalid-params', `${field} ${description}.`, { violations: [{ field, description }] });
}
