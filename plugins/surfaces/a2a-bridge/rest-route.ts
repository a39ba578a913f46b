// The REST paths of A2A 1.0 below an interface's URL, each also behind a tenant's name.
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
  const segments = path.slice(1).split('/').map(decode);
  const direct = lookUp(segments);
  const [tenant, ...rest] = segments;
  const found = direct ?? (tenant ? lookUp(rest) : undefined);
  if (!found) throw new AppError('not-found', 'There is no such operation.');
  const name = found.methods[method];
  if (name === undefined) {
    onAllowed?.(Object.keys(found.methods).join(', '));
    throw new AppError('method-not-allowed', `Use ${Object.keys(found.methods).join(' or ')} here.`);
  }
  return {
    name,
    ...(direct === undefined && { tenant }),
    ...(found.taskId !== undefined && { taskId: found.taskId }),
    ...(found.configId !== undefined && { configId: found.configId }),
  };
}

const FIXED: Readonly<Record<string, Methods>> = {
  'message:send': { POST: 'SendMessage' },
  'message:stream': { POST: 'SendStreamingMessage' },
  tasks: { GET: 'ListTasks' },
  extendedAgentCard: { GET: 'GetExtendedAgentCard' },
};
const VERBS: Readonly<Record<string, Methods>> = {
  cancel: { POST: 'CancelTask' },
  subscribe: { GET: 'SubscribeToTask', POST: 'SubscribeToTask' },
};
const CONFIGS: Methods = { POST: 'CreateTaskPushNotificationConfig', GET: 'ListTaskPushNotificationConfigs' };
const CONFIG: Methods = { GET: 'GetTaskPushNotificationConfig', DELETE: 'DeleteTaskPushNotificationConfig' };

interface Found extends Pick<RestRoute, 'taskId' | 'configId'> {
  methods: Methods;
}

function lookUp(segments: readonly string[]): Found | undefined {
  const [first = '', second, third, fourth] = segments;
  if (segments.length === 1) {
    const methods = Object.hasOwn(FIXED, first) ? FIXED[first] : undefined;
    return methods && { methods };
  }
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
