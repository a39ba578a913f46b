import { describe, expect, test } from '@jest/globals';
import type { RemoteEvent, RemoteMessage, SendResult } from '../../src/remote/remote-port.js';
import { OldSdkPeer } from '../support/peers/old-sdk-peer.js';
import { closeAfter, RemoteHome } from '../support/remote-home.js';

const message = (parts: RemoteMessage['parts']): RemoteMessage => ({ messageId: 'm-1', role: 'ROLE_USER', parts });
const idOf = (sent: SendResult): string => ('task' in sent ? sent.task.id : '');

describe.each(['JSONRPC', 'HTTP+JSON', 'GRPC'] as const)('the official server of 0.3 itself, over %s', (transport) => {
  test('is sent to, read and subscribed to, parts of all kinds both ways', async () => {
    const server = closeAfter(await new OldSdkPeer(transport).start());
    const peer = await new RemoteHome().connect({ url: server.url });
    expect([peer.protocol, peer.binding]).toEqual(['0.3', transport]);
    const parts = [
      { text: 'hello' },
      { bytes: Buffer.from([1, 2, 255]), filename: 'a.bin', mediaType: 'application/x-a' },
      { url: 'https://example.com/b', mediaType: 'text/b' },
      { data: { a: { b: [1, 'two', null] } } },
      { data: ['a', 'list'] },
    ];
    const id = idOf(await peer.send({ message: message(parts) }));
    const task = await peer.get(id);
    expect(task).toMatchObject({ id, status: { state: 'TASK_STATE_COMPLETED' }, unread: [] });
    const [mirror] = task.artifacts;
    expect(mirror).toMatchObject({ artifactId: 'mirror' });
    expect(mirror?.parts).toMatchObject([
      { text: 'hello' },
      { mediaType: 'application/x-a' },
      { url: 'https://example.com/b', mediaType: 'text/b' },
      // Over gRPC that server takes null for 0.
      { data: { a: { b: [1, 'two', transport === 'GRPC' ? 0 : null] } } },
      // Over HTTP+JSON and gRPC it drops what marks a wrapped value.
      { data: transport === 'JSONRPC' ? ['a', 'list'] : { value: ['a', 'list'] } },
    ]);
    const [, file] = mirror?.parts ?? [];
    expect(file && 'bytes' in file && [...file.bytes]).toEqual([1, 2, 255]);
    expect(server.executor.begun).toHaveLength(1);
  });

  test('has its questions, its snapshot to subscribe to, and its errors told apart', async () => {
    const server = closeAfter(await new OldSdkPeer(transport).start());
    const peer = await new RemoteHome().connect({ url: server.url });
    const id = idOf(await peer.send({ message: message([{ text: 'which?' }]) }));
    expect((await peer.get(id)).status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    const done = idOf(await peer.send({ message: { ...message([{ text: 'x' }]), messageId: 'm-2' } }));
    const events: RemoteEvent[] = [];
    for await (const event of peer.subscribe(done)) events.push(event);
    expect(events).toMatchObject([{ kind: 'task', task: { status: { state: 'TASK_STATE_COMPLETED' } } }]);
    // Over gRPC it tells no reason, only the status.
    const [unknown, ended] =
      transport === 'GRPC' ? ['GRPC_NOT_FOUND', 'GRPC_9'] : ['TASK_NOT_FOUND', 'TASK_NOT_CANCELABLE'];
    await expect(peer.get('nothing')).rejects.toMatchObject({ fault: 'task-not-found', code: unknown });
    await expect(peer.cancel(done)).rejects.toMatchObject({ fault: 'refused', code: ended });
    await peer.setPush(id, { id: 'w', url: 'https://example.com/hook', token: 'token' });
    await peer.deletePush(id, 'w');
  });
});
