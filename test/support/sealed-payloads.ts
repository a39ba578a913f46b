// What a bus in tests inspects every envelope with: a payload must survive JSON unchanged, and nobody may change it.
import type { Envelope } from '../../src/bus/envelope.js';

/** Freezes everything reachable from the value. Cycles are no problem. */
export function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const member of Object.values(value)) deepFreeze(member);
}

/** Throws when the value is not plain JSON data; `path` names where. `undefined` members are allowed and dropped. */
export function assertPlain(value: unknown, path = 'payload', parents: readonly unknown[] = []): void {
  if (value === undefined || value === null || typeof value === 'string' || typeof value === 'boolean') return;
  if (typeof value === 'number' && Number.isFinite(value)) return;
  if (typeof value !== 'object') throw new Error(`${path} is not serialisable: ${String(value)}`);
  if (parents.includes(value)) throw new Error(`${path} refers to its own parent`);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) {
    throw new Error(`${path} is no plain object`);
  }
  for (const [name, member] of Object.entries(value)) assertPlain(member, `${path}.${name}`, [...parents, value]);
}

/** Pass this as a bus's `inspect`: it refuses payloads that are no plain data, and freezes the rest. */
export function sealPayload(envelope: Envelope): void {
  assertPlain(envelope.payload);
  deepFreeze(envelope.payload);
}
