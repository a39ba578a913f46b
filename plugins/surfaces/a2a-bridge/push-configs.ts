// The four operations on a task's webhooks. Whoever may see the task may see its webhooks, and nobody sees their secrets.
import type { ListTaskPushNotificationConfigsResponse, TaskPushNotificationConfig as SdkPushConfig } from '@a2a-js/sdk';
import type { PushConfig } from '../../../src/a2a-model.js';
import { AppError } from '../../../src/errors.js';
import type { Core } from '../../../src/plugin.js';
import { secretsOfConfig } from '../../../src/secrets/secret-values.js';
import type { Call } from './call.js';
import { invalid } from './fields.js';
import { ownTask } from './own-task.js';
import {
  isConfigId,
  type ConfigName,
  type ConfigPage,
  type ConfigQuestion,
  type PushConfigRequest,
} from './read-push-config.js';

export type PushPorts = Pick<Core, 'ledger' | 'net' | 'newId' | 'secrets'>;
type Viewer = Pick<Call, 'caller' | 'target'>;

/** The last checks, those that take time, and the id. Throws `invalid-params`; `field` is the path of the config's URL. */
export async function admitConfig(ports: PushPorts, request: PushConfigRequest, field: string): Promise<PushConfig> {
  const { id } = request;
  for (const secret of secretsOfConfig(request)) ports.secrets.addPassing(secret);
  const problem = await ports.net.checkUrl({ purpose: 'webhook', trusted: false }, request.url);
  if (problem !== undefined) throw invalid(field, problem);
  return { ...request, id: id ?? ports.newId() };
}

export async function createConfig(
  ports: PushPorts,
  viewer: Viewer,
  { taskId, config }: { taskId: string; config: PushConfigRequest },
): Promise<SdkPushConfig> {
  ownTask(ports.ledger, viewer, taskId);
  const admitted = await admitConfig(ports, config, 'url');
  return toSdkConfig(taskId, await ports.ledger.pushConfigs.set(taskId, admitted));
}

/** Throws `task-not-found`, also when it is the config that there is none of. */
export function getConfig(ports: PushPorts, viewer: Viewer, { taskId, configId }: ConfigQuestion): SdkPushConfig {
  const { envelope } = ownTask(ports.ledger, viewer, taskId);
  const config = envelope.pushConfigs?.find(({ id }) => id === (configId ?? id));
  if (config) return toSdkConfig(taskId, config);
  const details = configId !== undefined && isConfigId(configId) ? { pushConfigId: configId } : {};
  throw new AppError('task-not-found', 'The task has no such push notification config.', details);
}

export function listConfigs(
  ports: PushPorts,
  viewer: Viewer,
  { taskId, pageSize, pageToken }: ConfigPage,
): ListTaskPushNotificationConfigsResponse {
  const all = ownTask(ports.ledger, viewer, taskId).envelope.pushConfigs ?? [];
  // There are few, so the id of a page's last one is token enough.
  const last = pageToken === undefined ? -1 : all.findIndex(({ id }) => id === pageToken);
  if (pageToken !== undefined && last < 0) throw invalid('pageToken', 'is not a token of this list');
  const rest = all.slice(last + 1);
  const page = rest.slice(0, pageSize ?? rest.length);
  const nextPageToken = page.length < rest.length ? (page.at(-1)?.id ?? '') : '';
  return { configs: page.map((config) => toSdkConfig(taskId, config)), nextPageToken };
}

/** Nothing happens when there is none of that id. */
export async function deleteConfig(ports: PushPorts, viewer: Viewer, { taskId, configId }: ConfigName): Promise<void> {
  ownTask(ports.ledger, viewer, taskId);
  await ports.ledger.pushConfigs.delete(taskId, configId);
}

function toSdkConfig(taskId: string, { id, url, authentication }: PushConfig): SdkPushConfig {
  return {
    tenant: '',
    id,
    taskId,
    url,
    token: '',
    authentication: authentication && { scheme: authentication.scheme, credentials: '' },
  };
}
