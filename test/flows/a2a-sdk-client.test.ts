// The official client against the real server, over both bindings.
import { randomUUID } from 'node:crypto';
import { TaskState, type Part, type StreamResponse, type Task } from '@a2a-js/sdk';
import {
  ClientFactory,
  JsonRpcTransportFactory,
  RestTransportFactory,
  createAuthenticatingFetchWithRetry,
  type Client,
} from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { withMetadata } from '../support/with-metadata.js';
import { KEYS, useBridgeServer } from '../surfaces/a2a-bridge/bridge-server.js';
import { sendRequest, textPart } from '../support/sdk-request.js';

const server = useBridgeServer({ grpcPort: 0 });

const authenticated = createAuthenticatingFetchWithRetry(fetch, {
  headers: () => Promise.resolve({ 'X-API-Key': KEYS.bob }),
  shouldRetryWithHeaders: () => Promise.resolve(undefined),
});

const answerOf = (task: Task): string =>
  task.artifacts
    .flatMap((artifact) => artifact.parts)
    .map((part) => (part.content?.$case === 'text' ? part.content.value : ''))
    .join('');

async function all(stream: AsyncGenerator<StreamResponse>): Promise<StreamResponse[]> {
  const events: StreamResponse[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

describe.each([
  ['JSON-RPC', new JsonRpcTransportFactory({ fetchImpl: authenticated })],
  ['HTTP+JSON', new RestTransportFactory({ fetchImpl: authenticated })],
  ['gRPC', new GrpcTransportFactory({ grpcCallOptions: { interceptors: [withMetadata({ 'x-api-key': KEYS.bob })] } })],
])('the official client over %s', (_name, transport) => {
  let client: Client;
  beforeAll(async () => {
    client = await new ClientFactory({ transports: [transport] }).createFromUrl(server.url);
  });

  it('registers webhooks, reads, lists and deletes them', async () => {
    const { id: taskId } = (await client.sendMessage(sendRequest([textPart('ask name?')]))) as Task;
    const config = { tenant: '', taskId, id: '', url: 'https://8.8.8.8/hook', token: 't', authentication: undefined };
    const created = await client.createTaskPushNotificationConfig(config);
    expect(created).toMatchObject({ taskId, url: config.url, token: '' });
    const name = { tenant: '', taskId, id: created.id };
    expect(await client.getTaskPushNotificationConfig(name)).toEqual(created);
    const list = { tenant: '', taskId, pageSize: 0, pageToken: '' };
    expect((await client.listTaskPushNotificationConfig(list)).configs).toEqual([created]);
    await client.deleteTaskPushNotificationConfig(name);
    expect((await client.listTaskPushNotificationConfig(list)).configs).toEqual([]);
    await expect(client.getTaskPushNotificationConfig(name)).rejects.toThrow();
  });

  it('sends a message and gets the completed task', async () => {
    const task = (await client.sendMessage(sendRequest([textPart('hello')]))) as Task;
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(answerOf(task)).toBe('echo: hello');
    expect((await client.getTask({ tenant: '', id: task.id, historyLength: 1 })).history).toHaveLength(1);
  });

  it('streams a task first, then its updates, and ends with the terminal one', async () => {
    const events = await all(client.sendMessageStream(sendRequest([textPart('stream 3')])));
    expect(events[0]?.payload?.$case).toBe('task');
    const last = events.at(-1)?.payload;
    expect(last?.$case === 'statusUpdate' && last.value.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(events.filter((event) => event.payload?.$case === 'artifactUpdate').length).toBeGreaterThanOrEqual(3);
  });

  it('answers a question in a second turn of the same task', async () => {
    const asked = (await client.sendMessage(sendRequest([textPart('ask which colour')]))) as Task;
    expect(asked.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    const done = (await client.sendMessage(sendRequest([textPart('blue')], { taskId: asked.id }))) as Task;
    expect(done.id).toBe(asked.id);
    expect(done.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(answerOf(done)).toContain('you said: blue');
  });

  it('goes on with a conversation after a restart of the server', async () => {
    const asked = (await client.sendMessage(sendRequest([textPart('say first; ask which colour; say last')]))) as Task;
    await server.restart();
    client = await new ClientFactory({ transports: [transport] }).createFromUrl(server.url);
    const before = await client.getTask({ tenant: '', id: asked.id, historyLength: undefined });
    expect(before).toEqual(asked);
    const events = await all(client.sendMessageStream(sendRequest([textPart('red')], { taskId: asked.id })));
    expect(events[0]?.payload?.$case).toBe('task');
    const after = await client.getTask({ tenant: '', id: asked.id, historyLength: undefined });
    expect([after.status?.state, answerOf(after)]).toEqual([TaskState.TASK_STATE_COMPLETED, 'last']);
    const said = after.history.flatMap(({ parts }) => parts.map(({ content }) => content?.value as string));
    expect(said).toEqual(expect.arrayContaining(['first', 'which colour', 'red', 'you said: red', 'last']));
    expect(
      (
        await client.listTasks({
          tenant: '',
          contextId: after.contextId,
          status: 0,
          pageToken: '',
          statusTimestampAfter: undefined,
        })
      ).totalSize,
    ).toBe(1);
  });

  it('takes a file and gives one back', async () => {
    const file: Part = {
      content: { $case: 'raw', value: Buffer.from([0, 255, 7]) },
      metadata: undefined,
      filename: 'three.bin',
      mediaType: 'application/octet-stream',
    };
    const task = (await client.sendMessage(sendRequest([textPart('file out.txt some words'), file]))) as Task;
    expect(task.history[0]?.parts[1]?.content).toEqual(file.content);
    const given = (await client.sendMessage(sendRequest([textPart('file out.txt some words')]))) as Task;
    const part = given.artifacts.flatMap((artifact) => artifact.parts).find(({ filename }) => filename === 'out.txt');
    expect(part?.content).toEqual({ $case: 'raw', value: Buffer.from('some words') });
  });

  it('follows a task from a second connection and sees it canceled', async () => {
    const task = (await client.sendMessage(sendRequest([textPart('ask anything')], {}, true))) as Task;
    const stream = client.resubscribeTask({ tenant: '', id: task.id });
    const first = await stream.next();
    expect(first.value?.payload?.$case).toBe('task');
    const canceled = await client.cancelTask({ tenant: '', id: task.id, metadata: undefined });
    expect(canceled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    const last = (await all(stream)).at(-1)?.payload;
    expect(last?.$case === 'statusUpdate' && last.value.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    await expect(client.resubscribeTask({ tenant: '', id: task.id }).next()).rejects.toMatchObject({
      name: 'UnsupportedOperationError',
    });
  });

  it('lists by context, page after page', async () => {
    const contextId = `list-${randomUUID()}`;
    for (let i = 0; i < 3; i++) await client.sendMessage(sendRequest([textPart(`n${i}`)], { contextId }));
    const filter = {
      tenant: '',
      contextId,
      status: TaskState.TASK_STATE_COMPLETED,
      pageSize: 2,
      historyLength: undefined,
      statusTimestampAfter: undefined,
      includeArtifacts: undefined,
    };
    const first = await client.listTasks({ ...filter, pageToken: '' });
    expect(first).toMatchObject({ totalSize: 3, pageSize: 2 });
    const second = await client.listTasks({ ...filter, pageToken: first.nextPageToken });
    expect(second.nextPageToken).toBe('');
    expect(new Set([...first.tasks, ...second.tasks].map(({ id }) => id)).size).toBe(3);
  });

  it('hears what is wrong as the typed errors of the protocol', async () => {
    await expect(client.getTask({ tenant: '', id: 'nothing', historyLength: undefined })).rejects.toMatchObject({
      name: 'TaskNotFoundError',
    });
    await expect(client.sendMessage(sendRequest([]))).rejects.toMatchObject({ name: 'RequestMalformedError' });
    const done = (await client.sendMessage(sendRequest([textPart('x')]))) as Task;
    await expect(client.cancelTask({ tenant: '', id: done.id, metadata: undefined })).rejects.toMatchObject({
      name: 'TaskNotCancelableError',
    });
    await expect(client.sendMessage(sendRequest([textPart('y')], { taskId: done.id }))).rejects.toMatchObject({
      name: 'UnsupportedOperationError',
    });
  });
});
