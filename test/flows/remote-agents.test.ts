// The whole way to an agent elsewhere and back: an operator's chat and a caller's task that are worked on by the official
// SDK's own server.
import { afterEach, describe, expect, test } from '@jest/globals';
import type { TaskView } from '../../src/operator-wire.js';
import { A2aClient } from '../support/a2a-client.js';
import { OperatorServer } from '../support/operator-server.js';
import { SdkPeer, type SdkPeerOptions } from '../support/peers/sdk-peer.js';

const peers: SdkPeer[] = [];
afterEach(async () => {
  for (const peer of peers.splice(0)) await peer.stop();
});

async function farAgent(options: SdkPeerOptions = {}): Promise<{ peer: SdkPeer; server: OperatorServer }> {
  const peer = await new SdkPeer(options).start();
  peers.push(peer);
  const settings = { agents: [{ name: 'far', url: peer.url, key: 'the-key-of-far-agents' }], followSeconds: 5 };
  const server = await OperatorServer.start({ agents: ['demo', 'far'], settings });
  return { peer, server };
}

const ask = (server: OperatorServer, message: string, more: object = {}): Promise<TaskView> =>
  server.chat(message, { agent: 'far', ...more }).then(({ body }) => body);

describe.each<[string, SdkPeerOptions]>([
  ['JSON-RPC', { bindings: ['JSONRPC'], key: 'the-key-of-far-agents' }],
  ['HTTP+JSON', { bindings: ['HTTP+JSON'], key: 'the-key-of-far-agents' }],
  ['gRPC', { bindings: ['GRPC'], key: 'the-key-of-far-agents' }],
  ['JSON-RPC of 0.3', { bindings: ['JSONRPC'], versions: ['0.3'], key: 'the-key-of-far-agents' }],
  ['HTTP+JSON of 0.3', { bindings: ['HTTP+JSON'], versions: ['0.3'], key: 'the-key-of-far-agents' }],
  ['gRPC of 0.3', { bindings: ['GRPC'], versions: ['0.3'], key: 'the-key-of-far-agents' }],
])('an agent over %s', (_name, options) => {
  test('answers a chat with its artifact, its question, its Message, its file and its failure', async () => {
    const { server } = await farAgent(options);
    expect(await ask(server, 'hello')).toMatchObject({ taskState: 'completed', response: 'echo: hello' });
    expect(await ask(server, 'say hi')).toMatchObject({ taskState: 'completed', response: 'hi' });
    expect(await ask(server, 'chunks 3')).toMatchObject({ response: 'chunk 1 chunk 2 chunk 3 ' });
    expect(await ask(server, 'status all done')).toMatchObject({ taskState: 'completed', response: 'all done' });
    expect(await ask(server, 'fail no paper')).toMatchObject({ taskState: 'failed', response: 'no paper' });
    const { artifacts } = await ask(server, 'file');
    // The schema of 0.3 as the SDK's server has it lacks the file's name.
    const named = options.versions && options.bindings?.[0] !== 'JSONRPC' ? {} : { filename: 'notes.txt' };
    expect(artifacts?.[0]?.parts).toEqual([
      { raw: Buffer.from('bytes of a file').toString('base64'), mediaType: 'text/plain', ...named },
    ]);
    const asked = await ask(server, 'ask which?');
    expect(asked).toMatchObject({ taskState: 'input-required', question: 'which?' });
    const answered = await server.post('/input', { cid: asked.cid, answer: 'that one' });
    expect(answered.body).toMatchObject({ taskState: 'completed', response: 'echo: that one' });
  });
});

describe('a task for an agent elsewhere', () => {
  test('is canceled there when its caller cancels it here', async () => {
    const { peer, server } = await farAgent();
    const { cid } = await ask(server, 'hold on', { returnImmediately: true });
    await peer.executor.whenBegun(1);
    const { body } = await server.post(`/task/${cid}/cancel`, {});
    expect(body.taskState).toBe('canceled');
  });

  test('outlives a restart, and its end arrives', async () => {
    const { peer, server } = await farAgent();
    const { cid } = await ask(server, 'hold on', { returnImmediately: true });
    await peer.executor.whenBegun(1);
    const again = await server.restart();
    expect((await again.get(`/task/${cid}`)).body.taskState).toBe('working');
    peer.executor.releaseAll();
    expect((await again.get(`/task/${cid}?wait=20`)).body).toMatchObject({
      taskState: 'completed',
      response: 'held: on',
    });
  });

  test('is asked for by a caller whose key allows it, at the address of the agent here', async () => {
    const { peer, server } = await farAgent();
    const client = new A2aClient(server.url, server.home.keys.ann as string, '/agents/far/a2a');
    const { task } = await client.rpc<{ task: { status: { state: string }; artifacts: unknown[] } }>('SendMessage', {
      message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hello' }] },
    });
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(task.artifacts).toMatchObject([{ parts: [{ text: 'echo: hello' }] }]);
    const sent = peer.executor.begun[0];
    expect(sent?.metadata).toMatchObject({ 'switchboard.chain': [{ switchboard: expect.any(String) }] });
  });
});
