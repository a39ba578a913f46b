// The messages of the 0.3 schema (package `a2a.v1`), by which gRPC writes them. The fields that late releases of 0.3 added,
// a file's name and a part's metadata among them, are there: older readers skip them.
import { create, createFileRegistry, type DescMessage } from '@bufbuild/protobuf';
import {
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
  FileDescriptorProtoSchema,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
} from '@bufbuild/protobuf/wkt';

/** `number type`, the type with `[]` for a list and `{}` for a map from strings; `in` names the group of which one is set. */
type Fields = Readonly<Record<string, string>>;

const PAYLOAD = { task: '1 Task in payload', message: '2 Message in payload' };
const SECRET_FLOW = { tokenUrl: '1 string', refreshUrl: '2 string', scopes: '3 string{}' };

/** By the names that ProtoJSON has for the fields. */
const MESSAGES: Readonly<Record<string, Fields>> = {
  Task: {
    id: '1 string',
    contextId: '2 string',
    status: '3 TaskStatus',
    artifacts: '4 Artifact[]',
    history: '5 Message[]',
    metadata: '6 Struct',
  },
  TaskStatus: { state: '1 TaskState', message: '2 Message', timestamp: '3 Timestamp' },
  Message: {
    messageId: '1 string',
    contextId: '2 string',
    taskId: '3 string',
    role: '4 Role',
    content: '5 Part[]',
    metadata: '6 Struct',
    extensions: '7 string[]',
  },
  Part: { text: '1 string in part', file: '2 FilePart in part', data: '3 DataPart in part', metadata: '4 Struct' },
  FilePart: {
    fileWithUri: '1 string in file',
    fileWithBytes: '2 bytes in file',
    mimeType: '3 string',
    name: '4 string',
  },
  DataPart: { data: '1 Struct' },
  Artifact: {
    artifactId: '1 string',
    name: '3 string',
    description: '4 string',
    parts: '5 Part[]',
    metadata: '6 Struct',
    extensions: '7 string[]',
  },
  TaskStatusUpdateEvent: {
    taskId: '1 string',
    contextId: '2 string',
    status: '3 TaskStatus',
    final: '4 bool',
    metadata: '5 Struct',
  },
  TaskArtifactUpdateEvent: {
    taskId: '1 string',
    contextId: '2 string',
    artifact: '3 Artifact',
    append: '4 bool',
    lastChunk: '5 bool',
    metadata: '6 Struct',
  },
  PushNotificationConfig: {
    id: '1 string',
    url: '2 string',
    token: '3 string',
    authentication: '4 AuthenticationInfo',
  },
  AuthenticationInfo: { schemes: '1 string[]', credentials: '2 string' },
  TaskPushNotificationConfig: { name: '1 string', pushNotificationConfig: '2 PushNotificationConfig' },

  AgentCard: {
    name: '1 string',
    description: '2 string',
    url: '3 string',
    provider: '4 AgentProvider',
    version: '5 string',
    documentationUrl: '6 string',
    capabilities: '7 AgentCapabilities',
    securitySchemes: '8 SecurityScheme{}',
    security: '9 Security[]',
    defaultInputModes: '10 string[]',
    defaultOutputModes: '11 string[]',
    skills: '12 AgentSkill[]',
    supportsAuthenticatedExtendedCard: '13 bool',
    preferredTransport: '14 string',
    additionalInterfaces: '15 AgentInterface[]',
    protocolVersion: '16 string',
    signatures: '17 AgentCardSignature[]',
    iconUrl: '18 string',
  },
  AgentInterface: { url: '1 string', transport: '2 string' },
  AgentProvider: { url: '1 string', organization: '2 string' },
  AgentCapabilities: { streaming: '1 bool', pushNotifications: '2 bool', extensions: '3 AgentExtension[]' },
  AgentExtension: { uri: '1 string', description: '2 string', required: '3 bool', params: '4 Struct' },
  AgentSkill: {
    id: '1 string',
    name: '2 string',
    description: '3 string',
    tags: '4 string[]',
    examples: '5 string[]',
    inputModes: '6 string[]',
    outputModes: '7 string[]',
    security: '8 Security[]',
  },
  AgentCardSignature: { protected: '1 string', signature: '2 string', header: '3 Struct' },
  StringList: { list: '1 string[]' },
  Security: { schemes: '1 StringList{}' },
  SecurityScheme: {
    apiKeySecurityScheme: '1 APIKeySecurityScheme in scheme',
    httpAuthSecurityScheme: '2 HTTPAuthSecurityScheme in scheme',
    oauth2SecurityScheme: '3 OAuth2SecurityScheme in scheme',
    openIdConnectSecurityScheme: '4 OpenIdConnectSecurityScheme in scheme',
    mtlsSecurityScheme: '5 MutualTlsSecurityScheme in scheme',
  },
  APIKeySecurityScheme: { description: '1 string', location: '2 string', name: '3 string' },
  HTTPAuthSecurityScheme: { description: '1 string', scheme: '2 string', bearerFormat: '3 string' },
  OAuth2SecurityScheme: { description: '1 string', flows: '2 OAuthFlows', oauth2MetadataUrl: '3 string' },
  OpenIdConnectSecurityScheme: { description: '1 string', openIdConnectUrl: '2 string' },
  MutualTlsSecurityScheme: { description: '1 string' },
  OAuthFlows: {
    authorizationCode: '1 AuthorizationCodeOAuthFlow in flow',
    clientCredentials: '2 ClientCredentialsOAuthFlow in flow',
    implicit: '3 ImplicitOAuthFlow in flow',
    password: '4 PasswordOAuthFlow in flow',
  },
  AuthorizationCodeOAuthFlow: {
    authorizationUrl: '1 string',
    tokenUrl: '2 string',
    refreshUrl: '3 string',
    scopes: '4 string{}',
  },
  ClientCredentialsOAuthFlow: SECRET_FLOW,
  ImplicitOAuthFlow: { authorizationUrl: '1 string', refreshUrl: '2 string', scopes: '3 string{}' },
  PasswordOAuthFlow: SECRET_FLOW,

  SendMessageRequest: { message: '1 Message', configuration: '2 SendMessageConfiguration', metadata: '3 Struct' },
  SendMessageConfiguration: {
    acceptedOutputModes: '1 string[]',
    pushNotification: '2 PushNotificationConfig',
    historyLength: '3 int32',
    blocking: '4 bool',
  },
  SendMessageResponse: PAYLOAD,
  StreamResponse: {
    ...PAYLOAD,
    statusUpdate: '3 TaskStatusUpdateEvent in payload',
    artifactUpdate: '4 TaskArtifactUpdateEvent in payload',
  },
  GetTaskRequest: { name: '1 string', historyLength: '2 int32' },
  CancelTaskRequest: { name: '1 string' },
  TaskSubscriptionRequest: { name: '1 string' },
  CreateTaskPushNotificationConfigRequest: {
    parent: '1 string',
    configId: '2 string',
    config: '3 TaskPushNotificationConfig',
  },
  GetTaskPushNotificationConfigRequest: { name: '1 string' },
  ListTaskPushNotificationConfigRequest: { parent: '1 string', pageSize: '2 int32', pageToken: '3 string' },
  ListTaskPushNotificationConfigResponse: { configs: '1 TaskPushNotificationConfig[]', nextPageToken: '2 string' },
  DeleteTaskPushNotificationConfigRequest: { name: '1 string' },
  GetAgentCardRequest: {},
  Nothing: {},
};

/** Their values are numbered in this order, from 0. */
const ENUMS: Readonly<Record<string, readonly string[]>> = {
  TaskState: [
    'TASK_STATE_UNSPECIFIED',
    'TASK_STATE_SUBMITTED',
    'TASK_STATE_WORKING',
    'TASK_STATE_COMPLETED',
    'TASK_STATE_FAILED',
    'TASK_STATE_CANCELLED',
    'TASK_STATE_INPUT_REQUIRED',
    'TASK_STATE_REJECTED',
    'TASK_STATE_AUTH_REQUIRED',
  ],
  Role: ['ROLE_UNSPECIFIED', 'ROLE_USER', 'ROLE_AGENT'],
};

const PACKAGE = 'a2a.v1';
const SCALARS: Readonly<Record<string, Type>> = {
  string: Type.STRING,
  bytes: Type.BYTES,
  bool: Type.BOOL,
  int32: Type.INT32,
};

const FIELD = /^(\d+) (\w+)(\[\]|\{\})?(?: in (\w+))?$/;

function field(message: string, groups: string[], name: string, spec: string) {
  const [, number, type = '', many, group] = FIELD.exec(spec) ?? [];
  if (number === undefined) throw new Error(`${message}.${name} is no field`);
  const [kind, typeName] = many === '{}' ? [Type.MESSAGE, `${message}.${entryOf(name)}`] : typeOf(type);
  if (group !== undefined && !groups.includes(group)) groups.push(group);
  return {
    name,
    jsonName: name,
    number: Number(number),
    type: kind,
    ...(typeName !== undefined && { typeName: typeName.startsWith('.') ? typeName : `.${PACKAGE}.${typeName}` }),
    label: many === undefined ? Label.OPTIONAL : Label.REPEATED,
    ...(group !== undefined && { oneofIndex: groups.indexOf(group) }),
  };
}

function typeOf(type: string): [type: Type, name?: string] {
  const scalar = SCALARS[type];
  if (scalar !== undefined) return [scalar];
  if (type in ENUMS) return [Type.ENUM, type];
  return [Type.MESSAGE, type in MESSAGES ? type : `.google.protobuf.${type}`];
}

const entryOf = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}Entry`;

/** A map is a list of pairs, whose type lies within the message. */
function pairs(fields: Fields) {
  return Object.entries(fields).flatMap(([name, spec]) => {
    const [, , type = '', many] = FIELD.exec(spec) ?? [];
    if (many !== '{}') return [];
    const pair = { key: '1 string', value: `2 ${type}` };
    const options = { mapEntry: true };
    return [{ name: entryOf(name), options, field: Object.entries(pair).map(([key, of]) => field('', [], key, of)) }];
  });
}

const FILE = create(FileDescriptorProtoSchema, {
  name: 'a2a.proto',
  package: PACKAGE,
  syntax: 'proto3',
  dependency: [file_google_protobuf_struct.proto.name, file_google_protobuf_timestamp.proto.name],
  messageType: Object.entries(MESSAGES).map(([name, fields]) => {
    const groups: string[] = [];
    const list = Object.entries(fields).map(([one, spec]) => field(name, groups, one, spec));
    return { name, field: list, nestedType: pairs(fields), oneofDecl: groups.map((group) => ({ name: group })) };
  }),
  enumType: Object.entries(ENUMS).map(([name, values]) => ({
    name,
    value: values.map((value, number) => ({ name: value, number })),
  })),
});

const REGISTRY = createFileRegistry(FILE, (name) =>
  [file_google_protobuf_struct, file_google_protobuf_timestamp].find(({ proto }) => proto.name === name),
);

/** The type of a message. Throws for one that the schema does not have. */
export function legacyMessage(name: string): DescMessage {
  const type = REGISTRY.getMessage(`${PACKAGE}.${name}`);
  if (!type) throw new Error(`${name} is no message of ${PACKAGE}`);
  return type;
}
