// What a reader sees, and what the log says, when a stream meets an error that nobody foresaw.
import { A2AService } from '@a2a-js/sdk/server/grpc';
import type { StreamResponse } from '@a2a-js/sdk';
import { SendMessageRequest } from '@a2a-js/sdk';
import { Client, credentials, Metadata, status, type ServiceError } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { grpcAddress } from '../../conformance/a2a/grpc-binding.js';
import { KEYS, sendParams, useBridgeServer } from './bridge-server.js';

const server = useBridgeServer({ grpcPort: 0 });
const BUG = 'a bug in the loop';

/** From now on followers end with a bug, after so many updates. */
function breakAfter(updates: number): void {
  const { ledger } = server.switchboard.core;
  const follow = ledger.follow.bind(ledger);
  jest.spyOn(ledger, 'follow').mockImplementation((taskId, afterSeq) => {
    const follower = follow(taskId, afterSeq);
    const next = follower.next.bind(follower);
    let left = updates;
    follower.next = () => (left-- > 0 ? next() : Promise.reject(new TypeError(BUG)));
    return follower;
  });
}

const errors = (): Record<string, unknown>[] =>
  server.log.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ msg }) => msg === BUG);

beforeEach(() => void server.log.splice(0));
afterEach(() => void jest.restoreAllMocks());

describe('a stream that meets an error which nobody foresaw', () => {
  it.each([0, 1])(
    'over HTTP breaks off after %i updates, and is logged once with the id of its request',
    async (updates) => {
      breakAfter(updates);
      const response = await fetch(`${server.url}/a2a`, {
        method: 'POST',
        headers: {
          'X-API-Key': KEYS.ann,
          'A2A-Version': '1.0',
          'Content-Type': 'application/json',
          'X-Request-Id': `broken-${updates}`,
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'SendStreamingMessage',
          params: sendParams('stream 3'),
        }),
      });
      expect(response.status).toBe(200);
      await expect(response.text()).rejects.toThrow();
      expect(errors()).toEqual([
        expect.objectContaining({ level: 50, requestId: `broken-${updates}`, method: 'POST' }),
      ]);
    },
  );

  it('in the task that it begins with is an error of the request', async () => {
    const { blobs } = server.switchboard.core;
    jest.spyOn(blobs, 'read').mockImplementation(() => {
      throw new TypeError(BUG);
    });
    const file = { raw: Buffer.from('x').toString('base64'), filename: 'x.txt' };
    const params = sendParams('', { parts: [{ text: 'ask why?' }, file] });
    const { json } = await server.send('POST', '/a2a', {
      key: KEYS.ann,
      body: { jsonrpc: '2.0', id: 1, method: 'SendStreamingMessage', params },
    });
    expect(json).toMatchObject({ error: { code: -32603 } });
    expect(errors()).toHaveLength(1);
  });

  it('over gRPC ends as an internal error, and is logged once', async () => {
    breakAfter(1);
    const client = new Client(await grpcAddress(server), credentials.createInsecure());
    const metadata = new Metadata();
    metadata.set('a2a-version', '1.0');
    metadata.set('x-api-key', KEYS.ann);
    const request = SendMessageRequest.fromJSON(sendParams('stream 3'));
    const { path, requestSerialize, responseDeserialize } = A2AService.sendStreamingMessage;
    const events: StreamResponse[] = [];
    const error = await new Promise<ServiceError>((resolve) => {
      client
        .makeServerStreamRequest(path, requestSerialize, responseDeserialize, request, metadata)
        .on('data', (event: StreamResponse) => events.push(event))
        .on('error', resolve);
    });
    client.close();
    expect(error).toMatchObject({ code: status.INTERNAL, details: 'An internal error occurred.' });
    expect(events.length).toBeGreaterThan(0);
    expect(errors()).toEqual([expect.objectContaining({ level: 50, method: path })]);
  });
});
