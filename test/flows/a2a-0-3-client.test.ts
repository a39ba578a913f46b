// The official client of A2A 0.3, unchanged, against the real server: every operation that its version has.
import { randomUUID } from 'node:crypto';
import type { MessageSendParams, Part, Task, TaskStatusUpdateEvent } from 'a2a-sdk-0.3';
import {
  ClientFactory,
  createAuthenticatingFetchWithRetry,
  JsonRpcTransportFactory,
  RestTransportFactory,
  type Client,
} from 'a2a-sdk-0.3/client';
import { GrpcTransportFactory } from 'a2a-sdk-0.3/client/grpc';
import { InterceptingCall, status, type Interceptor } from '@grpc/grpc-js';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { KEYS, useBridgeServer } from '../surfaces/a2a-bridge/bridge-server.js';

const server = useBridgeServer({ grpcPort: 0 });

const fetchImpl = createAuthenticatingFetchWithRetry(fetch, {
  headers: () => Promise.resolve({ 'X-API-Key': KEYS.bob }),
  shouldRetryWithHeaders: () => Promise.resolve(undefined),
});

const withKey: Interceptor = (options, next) =>
  new InterceptingCall(next(options), {
    start(metadata, listener, forward) {
      metadata.set('x-api-key', KEYS.bob);
      forward(metadata, listener);
    },
  });

const send = (text: string, more: Partial<MessageSendParams> = {}, parts: Part[] = []): MessageSendParams => ({
  ...more,
  message: {
    kind: 'message',
    messageId: randomUUID(),
    role: 'user',
    parts: [{ kind: 'text', text }, ...parts],
    ...more.message,
  },
});
const follow = (task: Task, text: string): MessageSendParams => {
  const params = send(text);
  return { ...params, message: { ...params.message, taskId: task.id, contextId: task.contextId } };
};

const answerOf = (task: Task): string =>
  (task.artifacts ?? [])
    .flatMap(({ parts }) => parts)
    .map((part) => (part.kind === 'text' ? part.text : ''))
    .join('');

type Streamed = ReturnType<Client['sendMessageStream']> extends AsyncGenerator<infer Event> ? Event : never;
async function all(stream: ReturnType<Client['sendMessageStream']>): Promise<Streamed[]> {
  const events: Streamed[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

describe.each([
  ['JSON-RPC', new JsonRpcTransportFactory({ fetchImpl })],
  ['HTTP+JSON', new RestTransportFactory({ fetchImpl })],
  ['gRPC', new GrpcTransportFactory({ grpcCallOptions: { interceptors: [withKey] } })],
])('the official client of 0.3 over %s', (name, transport) => {
  let client: Client;
  beforeAll(async () => {
    client = await new ClientFactory({ transports: [transport] }).createFromUrl(server.url);
  });

  it('sends a message and waits for the task', async () => {
    const task = (await client.sendMessage(send('hello'))) as Task;
    expect(task).toMatchObject({ kind: 'task', status: { state: 'completed' } });
    expect(answerOf(task)).toBe('echo: hello');
    expect((await client.getTask({ id: task.id })).history?.map(({ role }) => role)).toContain('user');
    expect((await client.getTask({ id: task.id, historyLength: 1 })).history).toHaveLength(1);
    expect((await client.getTask({ id: task.id, historyLength: 0 })).history?.length).toBeGreaterThan(1);
  });

  it('streams the task, its updates, and ends with the final one', async () => {
    const events = await all(client.sendMessageStream(send('stream 3')));
    expect(events[0]?.kind).toBe('task');
    expect(events.filter(({ kind }) => kind === 'artifact-update').length).toBeGreaterThanOrEqual(3);
    expect(events.at(-1)).toMatchObject({ kind: 'status-update', status: { state: 'completed' }, final: true });
    const finals = events.filter((event) => event.kind === 'status-update' && event.final);
    expect(finals).toHaveLength(1);
  });

  it('hears a question as the end of the stream, and answers it', async () => {
    const events = await all(client.sendMessageStream(send('ask which colour')));
    const last = events.at(-1) as TaskStatusUpdateEvent;
    expect(last).toMatchObject({ kind: 'status-update', status: { state: 'input-required' }, final: true });
    const asked = await client.getTask({ id: last.taskId });
    const done = (await client.sendMessage(follow(asked, 'blue'))) as Task;
    expect([done.id, done.status.state]).toEqual([asked.id, 'completed']);
    expect(answerOf(done)).toContain('you said: blue');
  });

  it('takes a file and data, and gives them back', async () => {
    const bytes = Buffer.from([0, 255, 7]).toString('base64');
    const parts: Part[] = [
      { kind: 'file', file: { bytes, mimeType: 'application/octet-stream' } },
      { kind: 'data', data: { a: [1] } },
    ];
    const task = (await client.sendMessage(send('hi', {}, parts))) as Task;
    expect(task.history?.[0]?.parts.slice(1)).toMatchObject(parts);
    const given = (await client.sendMessage(send('file out.txt some words; data [1,2]'))) as Task;
    const made = (given.artifacts ?? []).flatMap((artifact) => artifact.parts);
    const file = { bytes: Buffer.from('some words').toString('base64') };
    expect(made).toContainEqual(expect.objectContaining({ kind: 'file', file: expect.objectContaining(file) }));
    expect(made).toContainEqual(expect.objectContaining({ kind: 'data', data: { value: [1, 2] } }));
  });

  it('leaves a running task, follows it from a second connection, and sees it canceled', async () => {
    const opening = client.sendMessageStream(send('wait 60000'));
    const task = (await opening.next()).value as Task;
    await opening.return(undefined);
    const stream = client.resubscribeTask({ id: task.id });
    expect((await stream.next()).value).toMatchObject({ kind: 'task', id: task.id });
    expect((await client.cancelTask({ id: task.id })).status.state).toBe('canceled');
    expect((await all(stream)).at(-1)).toMatchObject({ status: { state: 'canceled' }, final: true });
  });

  it('resubscribes to an ended task and gets its snapshot', async () => {
    const task = (await client.sendMessage(send('hello'))) as Task;
    const events = await all(client.resubscribeTask({ id: task.id }));
    expect(events).toEqual([expect.objectContaining({ kind: 'task', id: task.id, artifacts: task.artifacts })]);
  });

  it('reads the extended card', async () => {
    const card = await client.getAgentCard();
    expect(card).toMatchObject({ name: 'alpha', supportsAuthenticatedExtendedCard: true });
    expect(card.url).toBe(`${server.url}/a2a`);
  });

  it('is told what is wrong by the codes of its version', async () => {
    await expect(client.getTask({ id: 'nothing' })).rejects.toMatchObject({ name: 'TaskNotFoundError' });
    const done = (await client.sendMessage(send('x'))) as Task;
    await expect(client.cancelTask({ id: done.id })).rejects.toMatchObject({ name: 'TaskNotCancelableError' });
    // Over gRPC it has no names for these, only the statuses.
    const named = (error: string, code: status): object =>
      name === 'gRPC' ? { message: expect.stringContaining(`sendMessage! ${code} `) } : { name: error };
    await expect(client.sendMessage(follow(done, 'y'))).rejects.toMatchObject(
      named('UnsupportedOperationError', status.UNIMPLEMENTED),
    );
    const file: Part = { kind: 'file', file: { bytes: 'AA==', mimeType: 'application/x-unheard-of' } };
    await expect(client.sendMessage(send('x', {}, [file]))).rejects.toMatchObject(
      named('ContentTypeNotSupportedError', status.INVALID_ARGUMENT),
    );
  });
});
