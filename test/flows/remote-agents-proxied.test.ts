// An agent elsewhere at its address here, for callers with a key: over A2A 0.3 with its official client, and with webhooks
// that are really called.
import { randomUUID } from 'node:crypto';
import type { Task } from 'a2a-sdk-0.3';
import {
  ClientFactory,
  createAuthenticatingFetchWithRetry,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
  type Client,
} from 'a2a-sdk-0.3/client';
import { afterEach, describe, expect, test } from '@jest/globals';
import { A2aClient, textMessage, type WireTask } from '../support/a2a-client.js';
import { OperatorServer } from '../support/operator-server.js';
import { SdkPeer, type SdkPeerOptions } from '../support/peers/sdk-peer.js';
import { Receiver } from '../support/receiver.js';

const stopping: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const peer of stopping.splice(0)) await peer.stop();
});

async function start(options: SdkPeerOptions = {}): Promise<{ peer: SdkPeer; server: OperatorServer; key: string }> {
  const peer = await new SdkPeer(options).start();
  stopping.push(peer);
  const settings = { agents: [{ name: 'far', url: peer.url }], followSeconds: 30, allowPrivate: ['127.0.0.1'] };
  const server = await OperatorServer.start({ agents: ['far'], settings });
  return { peer, server, key: server.home.keys['ann'] as string };
}

describe.each([
  ['JSON-RPC', '1.0', false],
  ['HTTP+JSON', '1.0', true],
  ['JSON-RPC', '0.3', false],
] as const)('asked over 0.3 by %s, an agent elsewhere that speaks %s', (_name, version, rest) => {
  async function connect(): Promise<{ client: Client; peer: SdkPeer }> {
    const { peer, server, key } = await start({ versions: [version], bindings: ['JSONRPC'] });
    const fetchImpl = createAuthenticatingFetchWithRetry(fetch, {
      headers: () => Promise.resolve({ 'X-API-Key': key }),
      shouldRetryWithHeaders: () => Promise.resolve(undefined),
    });
    const transports = [rest ? new RestTransportFactory({ fetchImpl }) : new JsonRpcTransportFactory({ fetchImpl })];
    const cardResolver = new DefaultAgentCardResolver({ fetchImpl });
    const factory = new ClientFactory({ transports, cardResolver });
    return { client: await factory.createFromUrl(`${server.url}/agents/far/`), peer };
  }

  const send = (text: string, ids: { taskId?: string; contextId?: string } = {}) => ({
    message: {
      kind: 'message' as const,
      messageId: randomUUID(),
      role: 'user' as const,
      parts: [{ kind: 'text' as const, text }],
      ...ids,
    },
  });

  test('answers with its artifact, streams it, and takes the answer to its question', async () => {
    const { client, peer } = await connect();
    const task = (await client.sendMessage(send('hello'))) as Task;
    expect(task).toMatchObject({ kind: 'task', status: { state: 'completed' } });
    expect(task.artifacts?.[0]?.parts).toMatchObject([{ kind: 'text', text: 'echo: hello' }]);
    expect((await client.getTask({ id: task.id })).status.state).toBe('completed');
    const events: { kind: string; final?: boolean }[] = [];
    for await (const event of client.sendMessageStream(send('chunks 3'))) events.push(event);
    expect(events[0]?.kind).toBe('task');
    expect(events.filter(({ kind }) => kind === 'artifact-update').length).toBeGreaterThan(0);
    expect(events.at(-1)).toMatchObject({ kind: 'status-update', final: true, status: { state: 'completed' } });
    const asked = (await client.sendMessage(send('ask which?'))) as Task;
    expect(asked.status.state).toBe('input-required');
    const ids = { taskId: asked.id, contextId: asked.contextId };
    const answered = (await client.sendMessage(send('that one', ids))) as Task;
    expect([answered.id, answered.status.state]).toEqual([asked.id, 'completed']);
    expect(peer.executor.begun).toHaveLength(4);
  });

  test('is canceled there when it is canceled here', async () => {
    const { client, peer } = await connect();
    const stream = client.sendMessageStream(send('hold on'));
    const { value: begun } = (await stream.next()) as { value: Task };
    await peer.executor.whenBegun(1);
    expect((await client.cancelTask({ id: begun.id })).status.state).toBe('canceled');
    const rest: unknown[] = [];
    for await (const event of stream) rest.push(event);
    expect(rest.at(-1)).toMatchObject({ kind: 'status-update', final: true, status: { state: 'canceled' } });
  });
});

describe('the card of an agent elsewhere, at its address here', () => {
  test('has its skills and this server’s addresses, and none of its own', async () => {
    const { peer, server, key } = await start();
    await server.get('/agents?probe=true');
    const card = async (headers: Record<string, string>): Promise<string> =>
      (await fetch(`${server.url}/agents/far/.well-known/agent-card.json`, { headers })).text();
    for (const headers of [{ 'X-API-Key': key }, { 'X-API-Key': key, 'A2A-Version': '1.0' }] as Record<
      string,
      string
    >[]) {
      const text = await card(headers);
      expect(text).toContain(`${server.url}/agents/far/a2a`);
      expect(text).not.toContain(peer.url);
      expect(JSON.parse(text)).toMatchObject({ name: 'far', skills: [{ id: 'script' }] });
    }
  });
});

describe('a webhook of a task that is worked on elsewhere', () => {
  test('is called for each change of its state, up to its end, once', async () => {
    const { peer, server, key } = await start();
    const receiver = await new Receiver().start();
    stopping.push(receiver);
    const client = new A2aClient(server.url, key, '/agents/far/a2a');
    const { task } = await client.rpc<{ task: WireTask }>('SendMessage', {
      message: textMessage('m1', 'hold on'),
      configuration: {
        returnImmediately: true,
        taskPushNotificationConfig: {
          url: receiver.url('/hook'),
          token: 'word',
          authentication: { scheme: 'Bearer', credentials: 'secret' },
        },
      },
    });
    await peer.executor.whenBegun(1);
    peer.executor.releaseAll();
    const last = async (): Promise<string | undefined> => {
      for (let count = 1; ; count++) {
        const { body } = (await receiver.received(count)).at(count - 1)!;
        const { state } = (JSON.parse(body) as { task: WireTask }).task.status;
        if (state === 'TASK_STATE_COMPLETED') return body;
      }
    };
    expect(JSON.parse((await last()) as string)).toMatchObject({
      task: { id: task.id, artifacts: [{ parts: [{ text: 'held: on' }] }] },
    });
    expect(receiver.requests[0]?.headers).toMatchObject({
      authorization: 'Bearer secret',
      'x-a2a-notification-token': 'word',
    });
    const ids = receiver.requests.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(ids.length);
    const states = receiver.requests.map(({ body }) => (JSON.parse(body) as { task: WireTask }).task.status.state);
    expect(states.filter((state) => state === 'TASK_STATE_COMPLETED')).toHaveLength(1);
    // Of the peer's own, nothing shows outside.
    expect(receiver.requests.map(({ body }) => body).join()).not.toContain(peer.url);
  });
});
