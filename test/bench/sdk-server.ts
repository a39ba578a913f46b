// The SDK's own server doing what the scripted agent does: one artifact, or fifty chunks of one. Runs as a process of
// its own: `sdk-server.js memory`, or `sdk-server.js sqlite <file>` on a database migrated with the SDK's own tool.
import express from 'express';
import { TaskState, type AgentCard, type Artifact, type Task, type TaskStatus } from '@a2a-js/sdk';
import {
  AgentEvent,
  DefaultRequestHandler,
  InMemoryTaskStore,
  type AgentExecutor,
  type ExecutionEventBus,
  type RequestContext,
  type TaskStore,
} from '@a2a-js/sdk/server';
import { jsonRpcHandler, UserBuilder } from '@a2a-js/sdk/server/express';

const QUERY_BUILDER: string = 'kysely';

const status = (state: TaskState): TaskStatus => ({ state, message: undefined, timestamp: new Date().toISOString() });

const artifact = (text: string): Artifact => ({
  artifactId: 'response',
  name: 'response',
  description: '',
  parts: [{ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: '' }],
  metadata: undefined,
  extensions: [],
});

const executor: AgentExecutor = {
  execute({ taskId, contextId, userMessage }: RequestContext, bus: ExecutionEventBus) {
    const submitted: Task = {
      id: taskId,
      contextId,
      status: status(TaskState.TASK_STATE_SUBMITTED),
      artifacts: [],
      history: [userMessage],
      metadata: undefined,
    };
    const show = (state: TaskState): void =>
      bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status: status(state), metadata: undefined }));
    const add = (text: string, append: boolean, lastChunk: boolean): void =>
      bus.publish(
        AgentEvent.artifactUpdate({
          taskId,
          contextId,
          artifact: artifact(text),
          append,
          lastChunk,
          metadata: undefined,
        }),
      );
    const content = userMessage.parts[0]?.content;
    const text = content?.$case === 'text' ? content.value : '';
    bus.publish(AgentEvent.task(submitted));
    show(TaskState.TASK_STATE_WORKING);
    const chunks = Number(/^stream (\d+)$/.exec(text)?.[1] ?? 0);
    for (let i = 0; i < chunks; i++) add(`chunk ${i + 1} `, i > 0, i === chunks - 1);
    if (chunks === 0) add(`echo: ${text}`, false, true);
    show(TaskState.TASK_STATE_COMPLETED);
    bus.finished();
    return Promise.resolve();
  },
  cancelTask: () => Promise.resolve(),
};

async function openStore(kind: string | undefined, file: string | undefined): Promise<TaskStore> {
  if (kind !== 'sqlite' || file === undefined) return new InMemoryTaskStore();
  const { DatabaseTaskStore } = await import('@a2a-js/sdk/server/database');
  // Not a dependency of this project: by a computed name the compiler does not ask for it.
  const { Kysely, SqliteDialect } = (await import(QUERY_BUILDER)) as Record<string, new (options: unknown) => never>;
  if (Kysely === undefined || SqliteDialect === undefined) throw new Error(`${QUERY_BUILDER} has changed`);
  const { default: Database } = await import('better-sqlite3');
  const database = new Database(file);
  // The usual advice for SQLite under a server; the default journal mode would only make it slower.
  database.pragma('journal_mode = WAL');
  return new DatabaseTaskStore(new Kysely({ dialect: new SqliteDialect({ database }) }));
}

const card = {
  name: 'SDK',
  description: 'The SDK as it comes',
  version: '1',
  supportedInterfaces: [
    { url: 'http://127.0.0.1/a2a', protocolBinding: 'JSONRPC', tenant: '', protocolVersion: '1.0' },
  ],
  capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false, extensions: [] },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [],
  securitySchemes: {},
  securityRequirements: [],
  signatures: [],
  provider: undefined,
  documentationUrl: undefined,
  iconUrl: undefined,
} as unknown as AgentCard;

const store = await openStore(process.argv[2], process.argv[3]);
const requestHandler = new DefaultRequestHandler(card, store, executor);
const app = express();
app.use('/a2a', jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no TCP address');
  process.stdout.write(`listening on http://127.0.0.1:${address.port}\n`);
});
process.once('SIGTERM', () => process.exit(0));
