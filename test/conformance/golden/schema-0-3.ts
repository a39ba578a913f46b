// The wire of A2A 0.3 as strict schemas, written from the protocol alone: its JSON-RPC objects, and the ProtoJSON of its
// REST binding. Any member that is not listed is a mistake.
import { z } from 'zod';

const text = z.string().min(1);
const object = z.record(z.string(), z.unknown());
const time = z.string().regex(/^(?:<time>|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)$/);
const metadata = { metadata: object.optional() };
const named = { name: text.optional(), mimeType: text.optional() };

interface Spelling {
  part: z.ZodType;
  /** Members of a message that the bindings spell differently. */
  message: z.ZodRawShape;
  state: z.ZodType;
  /** `{kind}`, where there is one. */
  kind(kind: string): z.ZodRawShape;
}

function shapes({ part, message: spelt, state, kind }: Spelling) {
  const message = z.strictObject({
    ...kind('message'),
    ...spelt,
    messageId: text,
    contextId: text.optional(),
    taskId: text.optional(),
    extensions: z.array(text).optional(),
    referenceTaskIds: z.array(text).optional(),
    ...metadata,
  });
  const status = z.strictObject({ state, message: message.optional(), timestamp: time.optional() });
  const artifact = z.strictObject({
    artifactId: text,
    name: text.optional(),
    description: text.optional(),
    parts: z.array(part).min(1),
    extensions: z.array(text).optional(),
    ...metadata,
  });
  const task = z.strictObject({
    ...kind('task'),
    id: text,
    contextId: text,
    status,
    artifacts: z.array(artifact).optional(),
    history: z.array(message).optional(),
    ...metadata,
  });
  const ids = { taskId: text, contextId: text, ...metadata };
  const statusUpdate = z.strictObject({ ...kind('status-update'), ...ids, status, final: z.boolean() });
  const artifactUpdate = z.strictObject({
    ...kind('artifact-update'),
    ...ids,
    artifact,
    append: z.boolean(),
    lastChunk: z.boolean(),
  });
  return { message, task, statusUpdate, artifactUpdate };
}

const rpc = shapes({
  kind: (kind) => ({ kind: z.literal(kind) }),
  part: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('text'), text: z.string(), ...metadata }),
    z.strictObject({
      kind: z.literal('file'),
      file: z.union([z.strictObject({ bytes: z.base64(), ...named }), z.strictObject({ uri: text, ...named })]),
      ...metadata,
    }),
    z.strictObject({ kind: z.literal('data'), data: object, ...metadata }),
  ]),
  get message() {
    return { role: z.enum(['user', 'agent']), parts: z.array(this.part).min(1) };
  },
  state: z.enum([
    'submitted',
    'working',
    'input-required',
    'completed',
    'canceled',
    'failed',
    'rejected',
    'auth-required',
  ]),
});

const rest = shapes({
  kind: () => ({}),
  part: z.union([
    z.strictObject({ text: z.string(), ...metadata }),
    z.strictObject({
      file: z.union([
        z.strictObject({ fileWithBytes: z.base64(), ...named }),
        z.strictObject({ fileWithUri: text, ...named }),
      ]),
      ...metadata,
    }),
    z.strictObject({ data: z.strictObject({ data: object }), ...metadata }),
  ]),
  get message() {
    return { role: z.enum(['ROLE_USER', 'ROLE_AGENT']), content: z.array(this.part).min(1) };
  },
  state: z.enum(
    ['SUBMITTED', 'WORKING', 'COMPLETED', 'FAILED', 'CANCELLED', 'INPUT_REQUIRED', 'REJECTED', 'AUTH_REQUIRED'].map(
      (name) => `TASK_STATE_${name}`,
    ),
  ),
});

const modes = z.array(text).min(1);
const card = (securitySchemes: z.ZodType, security: z.ZodType): z.ZodType =>
  z.strictObject({
    protocolVersion: z.string().regex(/^0\.3\.\d+$/),
    name: text,
    description: text,
    version: text,
    url: text,
    preferredTransport: z.enum(['JSONRPC', 'HTTP+JSON', 'GRPC']),
    additionalInterfaces: z.array(z.strictObject({ url: text, transport: text })),
    provider: z.strictObject({ url: text, organization: text }).optional(),
    documentationUrl: text.optional(),
    iconUrl: text.optional(),
    capabilities: z.strictObject({
      streaming: z.boolean(),
      pushNotifications: z.boolean(),
      extensions: z.array(z.strictObject({ uri: text, description: text, required: z.boolean().optional() })),
    }),
    supportsAuthenticatedExtendedCard: z.boolean(),
    securitySchemes,
    security: z.array(security).min(1),
    defaultInputModes: modes,
    defaultOutputModes: modes,
    skills: z.array(
      z.strictObject({
        id: text,
        name: text,
        description: text,
        tags: modes,
        examples: modes.optional(),
        inputModes: modes.optional(),
        outputModes: modes.optional(),
      }),
    ),
  });

const description = { description: text.optional() };
const rpcCard = card(
  z.record(
    text,
    z.discriminatedUnion('type', [
      z.strictObject({
        type: z.literal('apiKey'),
        in: z.enum(['header', 'query', 'cookie']),
        name: text,
        ...description,
      }),
      z.strictObject({ type: z.literal('http'), scheme: text, ...description }),
    ]),
  ),
  z.record(text, z.array(text)),
);
const restCard = card(
  z.record(
    text,
    z.union([
      z.strictObject({ apiKeySecurityScheme: z.strictObject({ location: text, name: text, ...description }) }),
      z.strictObject({ httpAuthSecurityScheme: z.strictObject({ scheme: text, ...description }) }),
    ]),
  ),
  z.strictObject({ schemes: z.record(text, z.strictObject({ list: z.array(text).optional() })) }),
);

const rpcEvent = z.discriminatedUnion('kind', [
  rpc.message as never,
  rpc.task as never,
  rpc.statusUpdate as never,
  rpc.artifactUpdate as never,
]) as z.ZodType;
const restEvent = z.union([
  z.strictObject({ message: rest.message }),
  z.strictObject({ task: rest.task }),
  z.strictObject({ statusUpdate: rest.statusUpdate }),
  z.strictObject({ artifactUpdate: rest.artifactUpdate }),
]);

/** By operation, under its name in 1.0; streams by their event. */
export const RPC_RESULTS_0_3: Readonly<Record<string, z.ZodType>> = {
  SendMessage: rpcEvent,
  SendStreamingMessage: rpcEvent,
  SubscribeToTask: rpcEvent,
  GetTask: rpc.task,
  CancelTask: rpc.task,
  GetExtendedAgentCard: rpcCard,
};
export const REST_RESULTS_0_3: Readonly<Record<string, z.ZodType>> = {
  SendMessage: restEvent,
  SendStreamingMessage: restEvent,
  SubscribeToTask: restEvent,
  GetTask: rest.task,
  CancelTask: rest.task,
  GetExtendedAgentCard: restCard,
};

/** The codes that 0.3 defines, and those of JSON-RPC. */
const code = z.union([z.int().min(-32007).max(-32001), z.literal([-32700, -32600, -32601, -32602, -32603, -32000])]);
const error = z.strictObject({ code, message: text, data: z.unknown() });
const id = z.union([z.string(), z.int(), z.null()]);
export const RPC_0_3 = (result: z.ZodType): z.ZodType => z.strictObject({ jsonrpc: z.literal('2.0'), id, result });
export const RPC_ERROR_0_3 = z.strictObject({ jsonrpc: z.literal('2.0'), id, error });
export const REST_ERROR_0_3 = error;
