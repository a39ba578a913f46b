// gRPC of 0.3, called by the stub that the SDK generated from its schema.
import { LegacyA2AService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { decodeErrorInfo, decodeStatus } from '@a2a-js/sdk/errors/grpc';
import { Client, credentials, Metadata, status, type ClientReadableStream, type ServiceError } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { IDEMPOTENT_SEND } from '../../../src/extension-uris.js';
import { KEYS, useBridgeServer } from '../../surfaces/a2a-bridge/bridge-server.js';
import type { Any } from './binding.js';
import { grpcAddress } from './grpc-binding.js';

type Method = keyof typeof LegacyA2AService;

const server = useBridgeServer({ grpcPort: 0 });
let client: Client;
beforeAll(async () => {
  client = new Client(await grpcAddress(server), credentials.createInsecure());
});
afterAll(() => client.close());

let messages = 0;
const USER = 1;
const text = (value: string): Any => ({ part: { $case: 'text', value } });
const said = (content: Any[], more: Any = {}): Any => ({
  request: {
    messageId: `lg-${++messages}`,
    contextId: '',
    taskId: '',
    role: USER,
    content,
    metadata: undefined,
    extensions: [],
    ...more,
  },
});
const say = (value: string, more: Any = {}): Any => said([text(value)], more);

function metadataOf(entries: Record<string, string>): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries({ 'x-api-key': KEYS.bob, ...entries })) {
    if (value !== '') metadata.set(name, value);
  }
  return metadata;
}

/** One call of the stub; rejects with the status. */
function call(method: Method, request: Any, entries: Record<string, string> = {}, initial?: Metadata): Promise<Any> {
  const { path, requestSerialize, responseDeserialize } = LegacyA2AService[method];
  return new Promise((resolve, reject) => {
    const answer = (error: ServiceError | null, value?: unknown): void => (error ? reject(error) : resolve(value));
    client
      .makeUnaryRequest(path, requestSerialize as never, responseDeserialize, request, metadataOf(entries), answer)
      .on('metadata', (sent) => initial?.merge(sent));
  });
}

function open(method: Method, request: Any, entries: Record<string, string> = {}): ClientReadableStream<Any> {
  const { path, requestSerialize, responseDeserialize } = LegacyA2AService[method];
  return client.makeServerStreamRequest(
    path,
    requestSerialize as never,
    responseDeserialize as never,
    request,
    metadataOf(entries),
  );
}

async function events(method: Method, request: Any): Promise<Any[]> {
  const all: Any[] = [];
  for await (const event of open(method, request)) all.push(event);
  return all.map(({ payload }) => payload);
}

const taskOf = async (request: Any): Promise<Any> => (await call('sendMessage', request)).payload.value;

const refusal = (work: Promise<unknown>): Promise<ServiceError> =>
  work.then(
    () => expect.unreachable(),
    (error: ServiceError) => error,
  ) as Promise<ServiceError>;

const reasonOf = ({ metadata }: ServiceError): string => {
  const [info] = decodeStatus(metadata.get('grpc-status-details-bin')[0] as Buffer).details;
  return decodeErrorInfo(info?.value as Buffer).reason;
};

describe('gRPC', () => {
  it('[C4] A stub of 0.3 sends, streams, reads, cancels and subscribes by resource names. (0.3)', async () => {
    const sent = await call('sendMessage', say('hello'));
    expect(sent.payload).toMatchObject({ $case: 'task', value: { status: { state: 3 } } });
    const { id, history } = sent.payload.value;
    expect(history[0]).toMatchObject({ role: USER, content: [text('hello')] });
    expect(await call('getTask', { name: `tasks/${id}`, historyLength: 1 })).toMatchObject({
      id,
      status: { state: 3, timestamp: expect.stringMatching(/Z$/) },
      history: [{ role: expect.any(Number) }],
    });

    const streamed = await events('sendStreamingMessage', say('stream 2'));
    expect(streamed[0]).toMatchObject({ $case: 'task' });
    expect(streamed.at(-1)).toMatchObject({ $case: 'statusUpdate', value: { final: true, status: { state: 3 } } });
    expect(streamed.map(({ $case }) => $case)).toContain('artifactUpdate');

    const asked = await taskOf(say('ask Which?'));
    expect(asked.status).toMatchObject({ state: 6, update: { role: 2, content: [text('Which?')] } });
    const subscription = open('taskSubscription', { name: `tasks/${asked.id}` });
    const followed = (async () => {
      const all: Any[] = [];
      for await (const { payload } of subscription) all.push(payload);
      return all;
    })();
    await new Promise((resolve) => subscription.once('metadata', resolve));
    expect(await call('cancelTask', { name: `tasks/${asked.id}` })).toMatchObject({ status: { state: 5 } });
    expect((await followed).map(({ $case, value }) => [$case, value.status.state])).toEqual([
      ['task', 6],
      ['statusUpdate', 5],
    ]);
  });
});
