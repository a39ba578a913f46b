// The REST paths below an interface's URL: those of 1.0, each also behind a tenant's name, and those of 0.3 below /v1.
import { AppError } from '../../../src/errors.js';
import type { OperationName } from './operation.js';

export interface RestRoute {
  name: OperationName;
  /** From the path's prefix. */
  tenant?: string;
  taskId?: string;
  configId?: string;
}

type Methods = Record<string, OperationName>;

/**
 * The operation at a path (percent-encoded, with a leading slash, without query). `onAllowed` hears which methods the
 * path has when it is the method that does not fit. Throws AppError `not-found`,
 * `method-not-allowed`, and `invalid-request` for a bad percent-encoding.
 */
export function matchRest(method: string, path: string, onAllowed?: (methods: string) => void): RestRoute {
  const segments = split(path);
  const direct = lookUp(segments);
  const [tenant, ...rest] = segments;
  const found = direct ?? (tenant ? lookUp(rest) : undefined);
  if (!found) throw new AppError('not-found', 'There is no such operation.');
  return { ...routed(found, method, onAllowed), ...(direct === undefined && { tenant }) };
}

/** Like `matchRest`, for 0.3: all below `/v1`, no tenants, no list of tasks. */
export function matchLegacyRest(method: string, path: string, onAllowed?: (methods: string) => void): RestRoute {
  const [prefix, ...rest] = split(path);
  const found = prefix !== 'v1' ? undefined : rest.length === 1 ? fixed(LEGACY_FIXED, rest[0]) : lookUp(rest);
  if (!found) {
    // Most likely a forgotten header: without one the version is 0.3.
    throw new AppError('not-found', 'There is no such operation in A2A 0.3; send A2A-Version: 1.0 for those of 1.0.');
  }
  return routed(found, method, onAllowed);
}

interface Found {
  methods: Methods;
  taskId?: string;
  configId?: string;
}

function routed({ methods, ...ids }: Found, method: string, onAllowed?: (methods: string) => void): RestRoute {
  const name = methods[method];
  if (name !== undefined) return { name, ...ids };
  onAllowed?.(Object.keys(methods).join(', '));
  throw new AppError('method-not-allowed', `Use ${Object.keys(methods).join(' or ')} here.`);
}

/** The decoded segments; one trailing slash counts for nothing. */
const split = (path: string): string[] =>
  path
    .replace(/(.)\/$/, '$1')
    .slice(1)
    .split('/')
    .map(decode);

export const FIXED: Readonly<Record<string, Methods>> = {
  'message:send': { POST: 'SendMessage' },
  'message:stream': { POST: 'SendStreamingMessage' },
  tasks: { GET: 'ListTasks' },
  extendedAgentCard: { GET: 'GetExtendedAgentCard' },
};
export const LEGACY_FIXED: Readonly<Record<string, Methods>> = {
  'message:send': { POST: 'SendMessage' },
  'message:stream': { POST: 'SendStreamingMessage' },
  card: { GET: 'GetExtendedAgentCard' },
};
export const VERBS: Readonly<Record<string, Methods>> = {
  cancel: { POST: 'CancelTask' },
  subscribe: { GET: 'SubscribeToTask', POST: 'SubscribeToTask' },
};
export const CONFIGS: Methods = { POST: 'CreateTaskPushNotificationConfig', GET: 'ListTaskPushNotificationConfigs' };
export const CONFIG: Methods = { GET: 'GetTaskPushNotificationConfig', DELETE: 'DeleteTaskPushNotificationConfig' };

function fixed(table: Readonly<Record<string, Methods>>, segment = ''): Found | undefined {
  const methods = Object.hasOwn(table, segment) ? table[segment] : undefined;
  return methods && { methods };
}

function lookUp(segments: readonly string[]): Found | undefined {
  const [first = '', second, third, fourth] = segments;
  if (segments.length === 1) return fixed(FIXED, first);
  if (first !== 'tasks' || !second) return undefined;
  if (segments.length === 2) {
    const colon = second.lastIndexOf(':');
    if (colon < 0) return { methods: { GET: 'GetTask' }, taskId: second };
    const verb = second.slice(colon + 1);
    const methods = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
    return methods && colon > 0 ? { methods, taskId: second.slice(0, colon) } : undefined;
  }
  if (third !== 'pushNotificationConfigs') return undefined;
  if (segments.length === 3) return { methods: CONFIGS, taskId: second };
  return segments.length === 4 && fourth ? { methods: CONFIG, taskId: second, configId: fourth } : undefined;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new AppError('invalid-request', 'The address is not properly encoded.');
  }
}
