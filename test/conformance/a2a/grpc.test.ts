// What only gRPC has: its service, its metadata, its trailers.
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { Client, credentials, Metadata, status, type ServiceError } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { IDEMPOTENT_SEND } from '../../../src/extension-uris.js';
import { OPERATIONS } from '../../../plugins/surfaces/a2a-bridge/operation.js';
import { KEYS, sendParams, useBridgeServer } from '../../surfaces/a2a-bridge/bridge-server.js';
import { bindings, type Binding } from './binding.js';
import { grpcAddress } from './grpc-binding.js';

const server = useBridgeServer({ grpcPort: 0 });
const grpc = bindings(server).find(({ name }) => name === 'gRPC') as Binding;
let client: Client;
beforeAll(async () => {
  client = new Client(await grpcAddress(server), credentials.createInsecure());
});
afterAll(() => client.close());

/** One call with metadata as it is given, and nothing else. */
function plainly(entries: [name: string, value: string][]): Promise<{ code: number; initial: Metadata }> {
  const { path, requestSerialize, responseDeserialize } = A2AService.listTasks;
  const metadata = new Metadata();
  for (const [name, value] of entries) metadata.add(name, value);
  const initial = new Metadata();
  return new Promise((resolve) => {
    const answer = (error: ServiceError | null): void => resolve({ code: error?.code ?? status.OK, initial });
    const request = { tenant: '', contextId: '', status: 0, pageToken: '', statusTimestampAfter: undefined };
    client
      .makeUnaryRequest(path, requestSerialize as never, responseDeserialize, request, metadata, answer)
      .on('metadata', (sent) => initial.merge(sent));
  });
}

describe('gRPC', () => {
  it('[78] The service is lf.a2a.v1.A2AService with all eleven operations. (§10.1)', async () => {
    const { id } = (await grpc.call('SendMessage', sendParams('ask x'))).result.task;
    const config = { taskId: id, id: 'c', url: 'https://8.8.8.8/hook' };
    const params: Record<string, object> = {
      SendMessage: sendParams('hi') as object,
      SendStreamingMessage: sendParams('hi') as object,
      ListTasks: {},
      GetExtendedAgentCard: {},
    };
    expect(Object.values(A2AService).map(({ path }) => path.split('/'))).toEqual(
      expect.arrayContaining(OPERATIONS.map((name) => ['', 'lf.a2a.v1.A2AService', name])),
    );
    for (const name of OPERATIONS.filter((operation) => operation !== 'SubscribeToTask')) {
      expect([
        name,
        (await grpc.call(name, params[name] ?? { ...config, ...(/Push/.test(name) ? {} : { id }) })).error,
      ]).toEqual([name, undefined]);
    }
    const other = (await grpc.call('SendMessage', sendParams('ask x'))).result.task;
    const stream = await grpc.open('SubscribeToTask', { id: other.id });
    expect((await stream.next()).task.id).toBe(other.id);
    await stream.close();
  });

  it('[80] A stream ends with OK after the terminal event, and deleting a webhook is answered by nothing. (§10.7, §3.1.10)', async () => {
    const events = await grpc.events('SendStreamingMessage', sendParams('stream 2'));
    expect(events.at(-1).statusUpdate.status.state).toBe('TASK_STATE_COMPLETED');
    const { id: taskId } = (await grpc.call('SendMessage', sendParams('ask x'))).result.task;
    const { result, error } = await grpc.call('DeleteTaskPushNotificationConfig', { taskId, id: 'c' });
    expect([result, error]).toEqual([{}, undefined]);
  });

  it('[40][44] The version is read from the metadata; without one, or for another, the service of 1.0 refuses. (§3.6, §10.2)', async () => {
    const key: [string, string] = ['x-api-key', KEYS.bob];
    const codes = [];
    for (const version of ['1.0', '1.0.3', '0.3', '99.0'])
      codes.push((await plainly([key, ['a2a-version', version]])).code);
    codes.push((await plainly([key])).code);
    expect(codes).toEqual([status.OK, status.OK, ...Array<status>(3).fill(status.FAILED_PRECONDITION)]);
  });

  it('[46] A repeated extensions entry is one list; those in force come back in the metadata. (§10.2)', async () => {
    const { initial } = await plainly([
      ['x-api-key', KEYS.bob],
      ['a2a-version', '1.0'],
      ['a2a-extensions', 'urn:other'],
      ['a2a-extensions', IDEMPOTENT_SEND],
    ]);
    expect(initial.get('a2a-extensions')).toEqual([IDEMPOTENT_SEND]);
  });

  it('[182] Without a key no message is read: the status is UNAUTHENTICATED. (§7.4, §10.6)', async () => {
    expect((await plainly([['a2a-version', '1.0']])).code).toBe(status.UNAUTHENTICATED);
    expect(
      (
        await plainly([
          ['authorization', `Bearer ${KEYS.bob}`],
          ['a2a-version', '1.0'],
        ])
      ).code,
    ).toBe(status.OK);
  });
});
