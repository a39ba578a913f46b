// A request of either binding and either version as one operation with parameters that are spelt as in 1.0.
import type { Request, Response } from 'express';
import { isObject } from '../../../src/read-json.js';
import { namedTenant } from './agent-access.js';
import { Fields, invalid } from './fields.js';
import type { OperationName } from './operation.js';
import { LEGACY_VERSION, negotiateVersion, type ProtocolVersion } from './protocol-version.js';
import { matchLegacyRest, matchRest, type RestRoute } from './rest-route.js';
import { readEnvelope } from './rpc-envelope.js';
import { readLegacy } from './v0-3/read-legacy.js';

export interface ReadRequest {
  name: OperationName;
  params: Fields;
  tenant?: string;
  id?: string | number | null;
  notification?: boolean;
}

/** Throws AppError `version-not-supported`. */
export const versionOf = (req: Request): ProtocolVersion =>
  negotiateVersion(req.get('A2A-Version'), req.query['A2A-Version'] ?? req.query['a2a-version']);

/** Whether refusals are for a 0.3 client. One that asks for a version nobody speaks hears so in the words of 1.0. */
export function asksLegacy(req: Request): boolean {
  const noted = req.res?.locals['legacy'] as boolean | undefined;
  if (noted !== undefined) return noted;
  try {
    return versionOf(req) === LEGACY_VERSION;
  } catch {
    return false;
  }
}

export function readRpc(req: Request, version: ProtocolVersion): ReadRequest {
  const envelope = readEnvelope(req.body, version);
  const tenant = namedTenant([envelope.params]);
  return { ...envelope, ...(tenant !== undefined && { tenant }) };
}

export function readRest(req: Request, res: Response, version: ProtocolVersion): ReadRequest {
  const legacy = version === LEGACY_VERSION;
  const match = legacy ? matchLegacyRest : matchRest;
  const route = match(req.method, req.path, (allowed) => res.setHeader('Allow', allowed));
  const query = Fields.ofQuery(req.query);
  const reads = req.method === 'GET' || req.method === 'DELETE';
  // Some clients send `null` where they have nothing to say.
  const body: unknown = req.body ?? undefined;
  if (!reads && body !== undefined && !isObject(body)) throw invalid('body', 'must be an object');
  if (!reads && body === undefined && route.taskId === undefined) throw invalid('body', 'is required');
  const ids = idsOf(route);
  const params = reads ? Fields.ofQuery({ ...req.query, ...ids }) : Fields.of({ ...(body as object), ...ids });
  if (legacy) return { name: route.name, params: Fields.of(readLegacy(route.name, params)) };
  const tenant = namedTenant([route.tenant, query, params]);
  return { name: route.name, params, ...(tenant !== undefined && { tenant }) };
}

/** The path's ids as the parameters they stand for. */
function idsOf({ name, taskId, configId }: RestRoute): Record<string, string> {
  if (taskId === undefined) return {};
  if (!name.includes('PushNotificationConfig')) return { id: taskId };
  return { taskId, ...(configId !== undefined && { id: configId }) };
}
