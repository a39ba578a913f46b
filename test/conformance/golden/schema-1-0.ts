// The wire of A2A 1.0 as strict schemas, written from the protocol alone: any member that is not listed is a mistake.
import { z } from 'zod';

const text = z.string().min(1);
const object = z.record(z.string(), z.unknown());
const time = z.string().regex(/^(?:<time>|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)$/);
const attributes = { filename: text.optional(), mediaType: text.optional(), metadata: object.optional() };

const part = z.union([
  z.strictObject({ text: z.string(), ...attributes }),
  z.strictObject({ raw: z.base64(), ...attributes }),
  z.strictObject({ url: text, ...attributes }),
  z.strictObject({ data: z.unknown(), ...attributes }).refine((value) => 'data' in value),
]);

const message = z.strictObject({
  messageId: text,
  role: z.enum(['ROLE_USER', 'ROLE_AGENT']),
  parts: z.array(part).min(1),
  contextId: text.optional(),
  taskId: text.optional(),
  metadata: object.optional(),
  extensions: z.array(text).min(1).optional(),
  referenceTaskIds: z.array(text).min(1).optional(),
});

const state = z.enum(
  ['SUBMITTED', 'WORKING', 'COMPLETED', 'FAILED', 'CANCELED', 'INPUT_REQUIRED', 'REJECTED', 'AUTH_REQUIRED'].map(
    (name) => `TASK_STATE_${name}`,
  ),
);
const status = z.strictObject({ state, message: message.optional(), timestamp: time });

const artifact = z.strictObject({
  artifactId: text,
  name: text.optional(),
  description: text.optional(),
  parts: z.array(part).min(1),
  metadata: object.optional(),
  extensions: z.array(text).min(1).optional(),
});

const task = z.strictObject({
  id: text,
  contextId: text,
  status,
  artifacts: z.array(artifact).optional(),
  history: z.array(message).min(1).optional(),
  metadata: object.optional(),
});

const ids = { taskId: text, contextId: text };
const event = z.union([
  z.strictObject({ task }),
  z.strictObject({ message }),
  z.strictObject({ statusUpdate: z.strictObject({ ...ids, status, metadata: object.optional() }) }),
  z.strictObject({
    artifactUpdate: z.strictObject({
      ...ids,
      artifact,
      append: z.literal(true).optional(),
      lastChunk: z.literal(true).optional(),
      metadata: object.optional(),
    }),
  }),
]);

const detail = z.looseObject({ '@type': z.string().startsWith('type.googleapis.com/google.rpc.') });
const scheme = z.union([
  z.strictObject({
    apiKeySecurityScheme: z.strictObject({
      location: z.enum(['header', 'query', 'cookie']),
      name: text,
      description: text.optional(),
    }),
  }),
  z.strictObject({
    httpAuthSecurityScheme: z.strictObject({
      scheme: text,
      bearerFormat: text.optional(),
      description: text.optional(),
    }),
  }),
]);
const modes = z.array(text).min(1);
const list = z.strictObject({ list: z.array(text).optional() });

const card = z.strictObject({
  name: text,
  description: text,
  version: text,
  supportedInterfaces: z
    .array(
      z.strictObject({
        url: text,
        protocolBinding: z.enum(['JSONRPC', 'HTTP+JSON', 'GRPC']),
        protocolVersion: z.string().regex(/^\d+\.\d+$/),
        tenant: text.optional(),
      }),
    )
    .min(1),
  provider: z.strictObject({ url: text, organization: text }).optional(),
  documentationUrl: text.optional(),
  iconUrl: text.optional(),
  capabilities: z.strictObject({
    streaming: z.boolean(),
    pushNotifications: z.boolean(),
    extendedAgentCard: z.boolean(),
    extensions: z.array(
      z.strictObject({
        uri: text,
        description: text.optional(),
        required: z.literal(true).optional(),
        params: object.optional(),
      }),
    ),
  }),
  securitySchemes: z.record(text, scheme),
  securityRequirements: z.array(z.strictObject({ schemes: z.record(text, list) })).min(1),
  defaultInputModes: modes,
  defaultOutputModes: modes,
  skills: z
    .array(
      z.strictObject({
        id: text,
        name: text,
        description: text,
        tags: modes,
        examples: modes.optional(),
        inputModes: modes.optional(),
        outputModes: modes.optional(),
      }),
    )
    .min(1),
});

/** By operation; streams by their event. */
export const RESULTS_1_0: Readonly<Record<string, z.ZodType>> = {
  SendMessage: z.union([z.strictObject({ task }), z.strictObject({ message })]),
  SendStreamingMessage: event,
  SubscribeToTask: event,
  GetTask: task,
  CancelTask: task,
  ListTasks: z.strictObject({
    tasks: z.array(task),
    nextPageToken: z.string(),
    pageSize: z.int(),
    totalSize: z.int(),
  }),
  GetExtendedAgentCard: card,
};

const id = z.union([z.string(), z.int(), z.null()]);
export const RPC_1_0 = (result: z.ZodType): z.ZodType => z.strictObject({ jsonrpc: z.literal('2.0'), id, result });
export const RPC_ERROR_1_0 = z.strictObject({
  jsonrpc: z.literal('2.0'),
  id,
  error: z.strictObject({ code: z.int().negative(), message: text, data: z.array(detail).min(1) }),
});
export const REST_ERROR_1_0 = z.strictObject({
  error: z.strictObject({
    code: z.int().min(400).max(599),
    status: z.string().regex(/^[A-Z_]+$/),
    message: text,
    details: z.array(detail).min(1),
  }),
});
