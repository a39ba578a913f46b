// The requests of the 0.3 gRPC service as those of its HTTP+JSON: tasks and webhooks are named by resource names there.
import { Fields, invalid } from '../fields.js';
import type { OperationName } from '../operation.js';
import { readLegacy } from './read-legacy.js';

type Json = Record<string, unknown>;

/** The parameters in the spelling of 1.0. Throws `invalid-params`, for bad names among others. */
export const readLegacyGrpc = (name: OperationName, params: Fields): Json =>
  readLegacy(name, Fields.of(asRest(name, params)));

function asRest(name: OperationName, params: Fields): Json {
  switch (name) {
    case 'SendMessage':
    case 'SendStreamingMessage': {
      const configuration = params.object('configuration');
      return {
        message: params.raw('message'),
        metadata: params.raw('metadata'),
        // On this wire there is no telling false from nothing said, and the schema says what false means.
        ...(configuration && { configuration: { ...configuration, blocking: configuration['blocking'] ?? false } }),
      };
    }
    case 'GetTask':
      return { id: taskOf(params, 'name'), historyLength: params.raw('historyLength') };
    case 'CancelTask':
    case 'SubscribeToTask':
      return { id: taskOf(params, 'name') };
    case 'CreateTaskPushNotificationConfig':
      return { taskId: parentOf(params), pushNotificationConfig: newConfig(params) };
    case 'ListTaskPushNotificationConfigs':
      return { taskId: parentOf(params), pageSize: params.raw('pageSize'), pageToken: params.raw('pageToken') };
    case 'GetTaskPushNotificationConfig':
    case 'DeleteTaskPushNotificationConfig':
      return configOf(params);
    default:
      return {};
  }
}

const TASK = /^tasks\/([^/]+)$/;
/** The schema says the one thing in its comment and the other in its annotation. */
const PARENT = /^tasks\/([^/]+)(?:\/pushNotificationConfigs)?$/;
/** Without an id, the task's first one is meant where that is enough. */
const CONFIG = /^tasks\/([^/]+)\/pushNotificationConfigs(?:\/([^/]*))?$/;

function matched(params: Fields, field: string, form: RegExp, shown: string): RegExpExecArray {
  const match = form.exec(params.text(field) ?? '');
  if (!match) throw invalid(params.at(field), `must be a name like ${shown}`);
  return match;
}

const taskOf = (params: Fields, field: string): string => matched(params, field, TASK, 'tasks/{id}')[1] as string;
const parentOf = (params: Fields): string => matched(params, 'parent', PARENT, 'tasks/{id}')[1] as string;

function configOf(params: Fields): Json {
  const [, taskId, id] = matched(params, 'name', CONFIG, 'tasks/{id}/pushNotificationConfigs/{id}');
  return { taskId, ...(id && { id }) };
}

/** Its id stands in the config itself, beside it, or in both. */
function newConfig(params: Fields): Json {
  const config = params.child('config')?.object('pushNotificationConfig') ?? {};
  const beside = params.text('configId');
  const own = config['id'];
  if (beside && own !== undefined && own !== beside) {
    throw invalid(params.at('configId'), "differs from the config's own id");
  }
  return { ...config, ...(beside && { id: beside }) };
}
