// A host program's logger, made safe to log to. It is the host's own, with its level, destination and serializers; what
// reaches it has been cleaned. Holds for messages, texts and errors at any depth of plain objects and arrays, and for the
// bindings of children. Other class instances pass as they are, since only the host's serializers know them.
import { isNativeError } from 'node:util/types';
import { clipped, errorText } from './errors.js';
import { SECRET_NAMES, type Logger } from './log.js';
import { REDACTED, type Secrets } from './secrets/secrets.js';

const LEVELS: ReadonlySet<PropertyKey> = new Set(['trace', 'debug', 'info', 'warn', 'error', 'fatal']);
const HIDDEN: ReadonlySet<string> = new Set(SECRET_NAMES);

/** Secrets are redacted by name and by value, those registered later included. */
export function redactingLogger(log: Logger, secrets: Secrets): Logger {
  return new Proxy(log, {
    get(target, property) {
      if (property === 'child') {
        return (bindings: object, options?: object) =>
          redactingLogger(target.child(cleaned(bindings, secrets) as object, options), secrets);
      }
      if (!LEVELS.has(property)) return Reflect.get(target, property, target) as unknown;
      const level = property as 'info';
      return (...args: unknown[]) => {
        if (!target.isLevelEnabled(level)) return;
        target[level](...(args.map((arg) => cleaned(arg, secrets)) as [string]));
      };
    },
  });
}

/** The value without secrets; itself where it holds none that could be found. Never throws. `known` breaks cycles. */
function cleaned(value: unknown, secrets: Secrets, known = new Map<object, unknown>()): unknown {
  if (typeof value === 'string') return secrets.redact(value);
  if (typeof value !== 'object' || value === null) return value;
  try {
    return cleanedObject(value, secrets, known);
  } catch {
    return secrets.redact(errorText(value));
  }
}

function cleanedObject(value: object, secrets: Secrets, known: Map<object, unknown>): unknown {
  const before = known.get(value);
  if (before !== undefined) return before;
  if (Array.isArray(value)) {
    const copy: unknown[] = [];
    known.set(value, copy);
    for (const item of value) copy.push(cleaned(item, secrets, known));
    return copy;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  // Code that runs in a context of its own has its own Error and Object.
  const isError = isNativeError(value) || value instanceof Error;
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  if (!isError && !isPlain) return value;
  // Of the same class, so that the host's serializers know an error for one.
  const copy = Object.create(prototype as object | null) as Record<string, unknown>;
  known.set(value, copy);
  const names = isError ? Object.getOwnPropertyNames(value) : Object.keys(value);
  for (const name of names) {
    const member = (value as Record<string, unknown>)[name];
    const shown = HIDDEN.has(name) ? REDACTED : cleaned(member, secrets, known);
    Object.defineProperty(copy, name, {
      // Cut last: half a secret is known for none.
      value: isError && typeof shown === 'string' ? clipped(shown) : shown,
      // What an error keeps from being listed stays so.
      enumerable: Object.prototype.propertyIsEnumerable.call(value, name),
      writable: true,
      configurable: true,
    });
  }
  return copy;
}
