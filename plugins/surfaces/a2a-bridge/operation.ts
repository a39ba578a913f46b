// The operations of A2A 1.0 with their checked parameters: what both bindings become before anything happens.
import { TASK_STATES, type TaskState } from '../../../src/a2a-model.js';
import { isContextId } from '../../../src/workspace/names.js';
import type { Fields } from './fields.js';
import { invalid } from './fields.js';
import { mustPush, readSend, type SendRequest, type SendRules } from './read-message.js';
import { LEGACY_VERSION } from './protocol-version.js';
import {
  readPushConfig,
  type ConfigName,
  type ConfigPage,
  type ConfigQuestion,
  type PushConfigRequest,
} from './read-push-config.js';
import { parseTimestamp } from './timestamp.js';

export const OPERATIONS = [
  'SendMessage',
  'SendStreamingMessage',
  'GetTask',
  'ListTasks',
  'CancelTask',
  'SubscribeToTask',
  'CreateTaskPushNotificationConfig',
  'GetTaskPushNotificationConfig',
  'ListTaskPushNotificationConfigs',
  'DeleteTaskPushNotificationConfig',
  'GetExtendedAgentCard',
] as const;
export type OperationName = (typeof OPERATIONS)[number];

export interface ListRequest {
  contextId?: string;
  state?: TaskState;
  /** Inclusive, milliseconds since the epoch. */
  statusSince?: number;
  /** 1..100. */
  pageSize: number;
  pageToken?: string;
  historyLength: number;
  includeArtifacts: boolean;
}

export type Operation =
  | { name: 'SendMessage' | 'SendStreamingMessage'; send: SendRequest }
  | { name: 'GetTask'; taskId: string; historyLength?: number }
  | { name: 'ListTasks'; list: ListRequest }
  | { name: 'CancelTask' | 'SubscribeToTask'; taskId: string }
  | { name: 'CreateTaskPushNotificationConfig'; taskId: string; config: PushConfigRequest }
  | ({ name: 'GetTaskPushNotificationConfig' } & ConfigQuestion)
  | ({ name: 'DeleteTaskPushNotificationConfig' } & ConfigName)
  | ({ name: 'ListTaskPushNotificationConfigs' } & ConfigPage)
  | { name: 'GetExtendedAgentCard' };

const known: ReadonlySet<string> = new Set(OPERATIONS);
export const isOperationName = (name: string): name is OperationName => known.has(name);

/** Operations about one existing task: an agent that can't be used looks like a task that does not exist. */
export const isTaskOperation = (name: OperationName): boolean =>
  name !== 'SendMessage' && name !== 'SendStreamingMessage' && name !== 'ListTasks' && name !== 'GetExtendedAgentCard';

export const isStreaming = (name: OperationName): boolean =>
  name === 'SendStreamingMessage' || name === 'SubscribeToTask';

/** Checks an operation's parameters. Throws AppErrors. */
export function readOperation(name: OperationName, params: Fields, rules: SendRules): Operation {
  switch (name) {
    case 'SendMessage':
    case 'SendStreamingMessage':
      return { name, send: readSend(params, rules) };
    case 'GetTask': {
      const historyLength = params.integer('historyLength', 0);
      return { name, taskId: readId(params, 'id'), ...(historyLength !== undefined && { historyLength }) };
    }
    case 'CancelTask':
    case 'SubscribeToTask':
      params.object('metadata');
      return { name, taskId: readId(params, 'id') };
    case 'ListTasks':
      return { name, list: readList(params) };
    case 'CreateTaskPushNotificationConfig':
      mustPush(rules);
      return { name, taskId: readId(params, 'taskId'), config: readPushConfig(params, rules) };
    case 'GetTaskPushNotificationConfig': {
      mustPush(rules);
      const mayBeAny = rules.version === LEGACY_VERSION && params.raw('id') === undefined;
      return { name, taskId: readId(params, 'taskId'), ...(!mayBeAny && { configId: readId(params, 'id') }) };
    }
    case 'DeleteTaskPushNotificationConfig':
      mustPush(rules);
      return { name, taskId: readId(params, 'taskId'), configId: readId(params, 'id') };
    case 'ListTaskPushNotificationConfigs': {
      mustPush(rules);
      // 0.3 sets no limit.
      const pageSize = params.integer('pageSize', 0, rules.version === LEGACY_VERSION ? undefined : 100) || undefined;
      const pageToken = params.string('pageToken', 64);
      return {
        name,
        taskId: readId(params, 'taskId'),
        ...(pageSize !== undefined && { pageSize }),
        ...(pageToken !== undefined && { pageToken }),
      };
    }
    case 'GetExtendedAgentCard':
      return { name };
    default:
      return name satisfies never;
  }
}

function readId(params: Fields, field: 'id' | 'taskId'): string {
  const id = params.text(field);
  if (!id) throw invalid(field, 'is required');
  return id;
}

function readList(params: Fields): ListRequest {
  const contextId = params.text('contextId') || undefined;
  if (contextId !== undefined && !isContextId(contextId)) throw invalid('contextId', 'is no context id');
  const state = readState(params);
  const since = params.string('statusTimestampAfter', 64);
  const statusSince = since === undefined ? undefined : parseTimestamp(since);
  if (since !== undefined && statusSince === undefined) {
    throw invalid('statusTimestampAfter', 'must be an RFC 3339 timestamp of a real date, with its zone');
  }
  const pageToken = params.string('pageToken', 2048);
  return {
    ...(contextId !== undefined && { contextId }),
    ...(state !== undefined && { state }),
    ...(statusSince !== undefined && { statusSince }),
    pageSize: params.integer('pageSize', 1, 100) ?? 50,
    ...(pageToken !== undefined && { pageToken }),
    historyLength: params.integer('historyLength', 0) ?? 0,
    includeArtifacts: params.boolean('includeArtifacts') ?? false,
  };
}

function readState(params: Fields): TaskState | undefined {
  const value = params.raw('status');
  // The proto's default means "any".
  if (value === undefined || value === '' || value === 'TASK_STATE_UNSPECIFIED' || value === 0) return undefined;
  const state = TASK_STATES.find((name, i) => name === value || i + 1 === value);
  if (!state) throw invalid('status', 'must be the name of a task state');
  return state;
}
