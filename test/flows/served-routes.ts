// Everything that a switchboard serves, read off its own declarations: what is mounted in express, and for the two A2A
// interfaces the operations over each binding and version.
import { legacyJsonRpcToV1Method, isLegacyJsonRpcMethod } from '@a2a-js/sdk/compat/v0_3';
import type { Express } from 'express';
import { OPERATIONS } from '../../plugins/surfaces/a2a-bridge/operation.js';
import { CONFIG, CONFIGS, FIXED, LEGACY_FIXED, VERBS } from '../../plugins/surfaces/a2a-bridge/rest-route.js';
import type { Mount } from '../../src/http/server.js';

export interface Served {
  method: string;
  path: string;
  version?: '1.0' | '0.3';
  /** Of JSON-RPC. */
  rpc?: string;
  operation?: string;
}

interface Layer {
  route?: { path: string | string[]; methods: Record<string, boolean> };
}

const VALUES: Record<string, string> = { ':name': 'private', ':workspace': 'demo', ':cid': 'some-task' };

/** A concrete address for a path with parameters. */
const concrete = (path: string): string =>
  path.replace(/\/{2,}/g, '/').replace(/:\w+/g, (name) => VALUES[name] ?? 'some');

/** The routes that express knows, and the mounts that serve whatever lies below them. */
export function mountedRoutes(app: Express): { routes: Served[]; opaque: string[] } {
  const routes: Served[] = [];
  const opaque: string[] = [];
  for (const { path, router } of app.locals['mounts'] as Mount[]) {
    const layers = router.stack as unknown as Layer[];
    for (const { route } of layers) {
      if (!route) {
        opaque.push(path);
        continue;
      }
      // What takes every method stands alone, or behind the methods that are known at its address.
      const others = layers.some((layer) => layer.route !== route && layer.route?.path === route.path);
      const methods = Object.keys(route.methods).map((method) => (method !== '_all' ? method : others ? 'put' : 'get'));
      for (const at of [route.path].flat()) {
        for (const method of methods) routes.push({ method: method.toUpperCase(), path: concrete(`${path}/${at}`) });
      }
    }
  }
  return { routes, opaque: [...new Set(opaque)] };
}

/** The mounts that `a2aRoutes` spells out. */
export const A2A_MOUNTS = ['/a2a', '/agents'];

const LEGACY_METHODS = [
  'message/send',
  'message/stream',
  'tasks/get',
  'tasks/cancel',
  'tasks/resubscribe',
  'tasks/pushNotificationConfig/set',
  'tasks/pushNotificationConfig/get',
  'tasks/pushNotificationConfig/list',
  'tasks/pushNotificationConfig/delete',
  'agent/getAuthenticatedExtendedCard',
].filter((method) => isLegacyJsonRpcMethod(method));

/** Every operation at an interface, over both bindings and in both versions. */
export function a2aRoutes(at: string, taskId = 'some-task'): Served[] {
  const rpc = OPERATIONS.map((name): Served => ({
    method: 'POST',
    path: at,
    version: '1.0',
    rpc: name,
    operation: name,
  }));
  const legacyRpc = LEGACY_METHODS.map((name): Served => ({
    method: 'POST',
    path: at,
    version: '0.3',
    rpc: name,
    operation: legacyJsonRpcToV1Method(name),
  }));
  return [
    ...rpc,
    ...legacyRpc,
    ...restRoutes(at, FIXED, '1.0', taskId),
    ...restRoutes(`${at}/v1`, LEGACY_FIXED, '0.3', taskId),
  ];
}

function restRoutes(base: string, fixed: typeof FIXED, version: Served['version'], taskId: string): Served[] {
  const task = `tasks/${taskId}`;
  const paths: Record<string, Record<string, string>> = {
    ...fixed,
    [task]: { GET: 'GetTask' },
    ...Object.fromEntries(Object.entries(VERBS).map(([verb, methods]) => [`${task}:${verb}`, methods])),
    [`${task}/pushNotificationConfigs`]: CONFIGS,
    [`${task}/pushNotificationConfigs/some`]: CONFIG,
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path: `${base}/${path}`, version, operation })),
  );
}
