// The parameters of a 0.3 request in their 1.0 spelling, so that one reader checks both versions. Only what is spelt
// differently is looked at here; whether it is acceptable is the reader's business.
import { WRAPPED } from '../../../../src/a2a-v0-3/legacy-part.js';
import { isObject } from '../../../../src/read-json.js';
import { Fields, invalid } from '../fields.js';
import type { OperationName } from '../operation.js';

type Json = Record<string, unknown>;

/** Throws `invalid-params` for a message that has no 1.0 spelling. */
export function readLegacy(name: OperationName, params: Fields): Json {
  switch (name) {
    case 'SendMessage':
    case 'SendStreamingMessage':
      return send(params);
    case 'GetTask':
      return { id: params.raw('id'), historyLength: historyLength(params) };
    case 'CreateTaskPushNotificationConfig':
      return { ...pushConfig(params.child('pushNotificationConfig')), taskId: params.raw('taskId') };
    case 'GetTaskPushNotificationConfig':
    case 'DeleteTaskPushNotificationConfig':
      return configName(params);
    case 'ListTaskPushNotificationConfigs':
      return { ...configName(params), ...configPage(params) };
    case 'CancelTask':
    case 'SubscribeToTask':
      return { id: params.raw('id'), metadata: params.raw('metadata') };
    case 'ListTasks':
    case 'GetExtendedAgentCard':
      return {};
    default:
      return name satisfies never;
  }
}

function send(params: Fields): Json {
  const message = params.child('message') ?? params.child('request');
  const configuration = params.child('configuration');
  return {
    message: message && readMessage(message),
    metadata: params.raw('metadata'),
    ...(configuration && {
      configuration: {
        acceptedOutputModes: configuration.raw('acceptedOutputModes'),
        historyLength: historyLength(configuration),
        returnImmediately: configuration.boolean('blocking') === false,
        taskPushNotificationConfig: pushConfig(
          configuration.child('pushNotificationConfig') ?? configuration.child('pushNotification'),
        ),
      },
    }),
  };
}

/** 0 asks for everything there. */
const historyLength = (params: Fields): number | undefined => params.integer('historyLength', 0) || undefined;

const ROLES: Readonly<Record<string, string>> = { user: 'ROLE_USER', ROLE_USER: 'ROLE_USER' };

function readMessage(message: Fields): Json {
  const role = message.raw('role');
  if (role !== undefined && !(typeof role === 'string' && Object.hasOwn(ROLES, role))) {
    throw invalid(message.at('role'), 'must be user');
  }
  // `content` is what the 0.3 REST binding calls them.
  const parts = message.raw('parts') ?? message.raw('content');
  const path = message.at('parts');
  return {
    messageId: message.raw('messageId'),
    contextId: message.raw('contextId'),
    taskId: message.raw('taskId'),
    role: role === undefined ? undefined : ROLES[role as string],
    parts: Array.isArray(parts) ? parts.map((part, i) => readPart(Fields.of(part, `${path}[${i}]`))) : parts,
    metadata: message.raw('metadata'),
    extensions: message.raw('extensions'),
    referenceTaskIds: message.raw('referenceTaskIds'),
  };
}

/** JSON-RPC tells the kind by `kind`, REST by the one member that is there. */
function readPart(part: Fields): Json {
  const kind = part.raw('kind') ?? ['text', 'file', 'data'].find((member) => part.raw(member) !== undefined);
  const metadata = part.object('metadata');
  switch (kind) {
    case 'text':
      return { text: part.raw('text'), metadata };
    case 'file': {
      const file = part.child('file');
      if (!file) throw invalid(part.at('file'), 'is required');
      return {
        raw: file.raw('bytes') ?? file.raw('fileWithBytes'),
        url: file.raw('uri') ?? file.raw('fileWithUri'),
        filename: file.raw('name'),
        mediaType: file.raw('mimeType'),
        metadata,
      };
    }
    case 'data':
      return readData(part, metadata);
    default:
      throw invalid(part.at('kind'), 'must be text, file or data');
  }
}

function readData(part: Fields, metadata: Json | undefined): Json {
  let data = part.raw('data') ?? null;
  // REST wraps the value once more.
  if (part.raw('kind') === undefined && isObject(data)) data = data['data'] ?? {};
  if (metadata?.[WRAPPED] !== true) return { data, metadata };
  const { [WRAPPED]: _wrapped, ...rest } = metadata;
  const value = isObject(data) && 'value' in data ? data['value'] : data;
  return { data: value, metadata: Object.keys(rest).length > 0 ? rest : undefined };
}

/** Over REST the path says what is what; JSON-RPC calls the task's id `id`. */
function configName(params: Fields): Json {
  const taskId = params.raw('taskId');
  if (taskId !== undefined) return { taskId, id: params.raw('id') };
  return { taskId: params.raw('id'), id: params.raw('pushNotificationConfigId') };
}

/** JSON-RPC lists all there are: its answer has no place for a page token. */
const configPage = (params: Fields): Json =>
  params.raw('taskId') === undefined ? {} : { pageSize: params.raw('pageSize'), pageToken: params.raw('pageToken') };

/** 1.0 knows one scheme a config: the first is kept. */
function pushConfig(config: Fields | undefined): Json | undefined {
  if (!config) return undefined;
  const authentication = config.child('authentication');
  return {
    id: config.raw('id'),
    url: config.raw('url'),
    token: config.raw('token'),
    ...(authentication && {
      authentication: {
        scheme: authentication.strings('schemes')[0],
        credentials: authentication.raw('credentials'),
      },
    }),
  };
}
