// Changes of a callers.json document as it is on disk: each edits the raw document in place and leaves alone what it
// does not know.
import { AppError } from '../errors.js';
import { isObject } from '../read-json.js';
import { readKey } from './caller-entries.js';
import { keyHash, keyHint, keyId } from './caller-keys.js';
import type { NewKeyOptions } from './callers.js';
import { nameProblem } from './names.js';
import type { Document } from './owner-json.js';

interface NewCaller {
  name: string;
  note?: string;
  agents?: string[];
  expiresAt?: string;
  /** ISO 8601. */
  createdAt: string;
}

function callersOf(document: Document): unknown[] {
  const list = (document['callers'] ??= []);
  if (!Array.isArray(list))
    throw new AppError(
      'config',
      'callers.json must hold an array "callers"; it must be repaired before it can be changed.',
    );
  return list;
}

const isNamed = (raw: unknown, name: string): raw is Document => isObject(raw) && raw['name'] === name;

/** The first of that name: the one that counts when a name is there twice. */
function entryOf(document: Document, name: string): Document {
  const entry = callersOf(document).find((raw) => isNamed(raw, name));
  if (!isObject(entry)) throw new AppError('not-found', 'There is no such caller.');
  return entry;
}

/** The entry's list of keys, with the short form `{name, key}` turned into the long one. */
function keysOf(entry: Document): unknown[] {
  const keys = Array.isArray(entry['keys']) ? (entry['keys'] as unknown[]) : [];
  if (typeof entry['key'] === 'string') {
    keys.unshift({ key: entry['key'] });
    delete entry['key'];
  }
  entry['keys'] = keys;
  return keys;
}

const stored = (key: string, expiresAt?: string): Document => ({
  hash: `sha256:${keyHash(key)}`,
  hint: keyHint(key),
  ...(expiresAt !== undefined && { expiresAt }),
});

export function addCaller(document: Document, { name, expiresAt, ...rest }: NewCaller, key: string): void {
  const problem = nameProblem(name);
  if (problem !== undefined) throw new AppError('invalid-params', `The caller's name ${problem}.`);
  const callers = callersOf(document);
  if (callers.some((raw) => isNamed(raw, name)))
    throw new AppError(
      'invalid-params',
      'There is already a caller of that name: rotate its key for a further one, or choose another name.',
    );
  callers.push({ name, keys: [stored(key, expiresAt)], ...rest });
}

/** Adds a key, and lets those that were there before end at `oldKeysExpireAt` at the latest, in one step. */
export function addCallerKey(document: Document, name: string, key: string, options: NewKeyOptions = {}): void {
  const entry = entryOf(document, name);
  const keys = keysOf(entry);
  const { expiresAt, oldKeysExpireAt } = options;
  if (oldKeysExpireAt !== undefined) {
    for (const raw of keys) {
      const known = readKey(raw);
      const ends = known?.expiresAt ?? Date.parse(String(entry['expiresAt']));
      // One that can't be used must not become usable by getting an end.
      if (known && isObject(raw) && !(ends <= Date.parse(oldKeysExpireAt))) raw['expiresAt'] = oldKeysExpireAt;
    }
  }
  keys.push(stored(key, expiresAt));
}

export function setWebhookSecret(document: Document, name: string, secret: string): void {
  entryOf(document, name)['webhookSecret'] = secret;
}

/** False when there was none. */
export function removeWebhookSecret(document: Document, name: string): boolean {
  const entry = entryOf(document, name);
  const had = entry['webhookSecret'] !== undefined;
  delete entry['webhookSecret'];
  return had;
}

/**
 * Removes the keys with that id or hint, or all but the last usable one. What is no usable key goes with the second form, so
 * that nothing revoked can come back by a repair. Returns how many went.
 */
export function removeCallerKeys(document: Document, name: string, which?: string): number {
  const entry = entryOf(document, name);
  const keys = keysOf(entry);
  const newest = keys.findLast((raw) => readKey(raw) !== undefined);
  const isMeant = (raw: unknown): boolean => {
    const known = readKey(raw);
    return known !== undefined && (known.hint === which || keyId(known.hash) === which);
  };
  const kept = keys.filter((raw) => (which === undefined ? raw === newest : !isMeant(raw)));
  entry['keys'] = kept;
  return keys.length - kept.length;
}

/** Removes every entry of that name: a second one must not step into the first one's place. */
export function removeCaller(document: Document, name: string): void {
  entryOf(document, name);
  document['callers'] = callersOf(document).filter((raw) => !isNamed(raw, name));
}
