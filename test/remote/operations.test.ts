import { describe, expect, test } from '@jest/globals';
import { isSettled } from '../../src/a2a-model.js';
import type { Peer, RemoteEvent, RemoteMessage, RemoteTask, SendResult } from '../../src/remote/remote-port.js';
import { SdkPeer, type PeerBinding } from '../support/peers/sdk-peer.js';
import { closeAfter, RemoteHome } from '../support/remote-home.js';

const message = (text: string, more: Partial<RemoteMessage> = {}): RemoteMessage => ({
  messageId: `m-${text}`,
  role: 'ROLE_USER',
  parts: [{ text }],
  ...more,
});

const taskOf = (result: SendResult): RemoteTask => {
  if (!('task' in result)) throw new Error('no task');
  return result.task;
};

/** Follows a task to its end or its question, and reads it. */
async function settled(peer: Peer, id: string): Promise<RemoteTask> {
  const now = await peer.get(id);
  if (isSettled(now.status.state)) return now;
  for await (const event of peer.subscribe(id)) {
    const status = event.kind === 'task' ? event.task.status : event.kind === 'status' ? event.status : undefined;
    if (status && isSettled(status.state)) break;
  }
  return peer.get(id);
}

const CASES: [PeerBinding, '1.0' | '0.3'][] = [
  ['JSONRPC', '1.0'],
  ['HTTP+JSON', '1.0'],
  ['GRPC', '1.0'],
  ['JSONRPC', '0.3'],
  ['HTTP+JSON', '0.3'],
  ['GRPC', '0.3'],
];

describe.each(CASES)('over %s of A2A %s, at the official server', (binding, version) => {
  const start = async (): Promise<{ peer: Peer; server: SdkPeer }> => {
    const server = closeAfter(await new SdkPeer({ bindings: [binding], versions: [version] }).start());
    const peer = await new RemoteHome().connect({ url: server.url });
    return { peer, server };
  };

  test('a task is sent, followed, read and has its artifact', async () => {
    const { peer } = await start();
    expect([peer.binding, peer.protocol]).toEqual([binding, version]);
    const sent = taskOf(await peer.send({ message: message('chunks 3') }));
    const task = await settled(peer, sent.id);
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(task.artifacts).toMatchObject([
      { artifactId: 'answer', parts: [{ text: 'chunk 1 ' }, { text: 'chunk 2 ' }, { text: 'chunk 3 ' }] },
    ]);
    expect(task.unread).toEqual([]);
  });

  test('work that goes on is subscribed to, its end seen', async () => {
    const { peer, server } = await start();
    const { id } = taskOf(await peer.send({ message: message('hold on') }));
    await server.executor.whenBegun(1);
    const events: RemoteEvent[] = [];
    for await (const event of peer.subscribe(id)) {
      events.push(event);
      if (events.length === 1) server.executor.release(id);
    }
    expect(events.at(-1)).toMatchObject({ kind: 'status', taskId: id, status: { state: 'TASK_STATE_COMPLETED' } });
    expect(events).toContainEqual(expect.objectContaining({ kind: 'artifact', taskId: id }));
  });

  test('files and data go out and come back as they are', async () => {
    const { peer, server } = await start();
    const parts = [
      { text: 'data {"n":1.5,"list":[true,null]}' },
      { bytes: Buffer.from([0, 255, 7]), filename: 'a.bin', mediaType: 'application/x-a' },
      { url: 'https://example.com/b', filename: 'b', mediaType: 'text/b' },
      { data: { deep: { is: ['it'] } } },
    ];
    const { id } = taskOf(await peer.send({ message: message('', { parts }) }));
    expect((await settled(peer, id)).artifacts[0]?.parts).toMatchObject([{ data: { n: 1.5, list: [true, null] } }]);
    const [, file, link, data] = server.executor.begun[0]?.parts ?? [];
    // The official server's schema of 0.3 knows no file's name.
    const nameless = version === '0.3' && binding !== 'JSONRPC';
    const filename = nameless ? '' : 'a.bin';
    expect(file).toMatchObject({ content: { $case: 'raw' }, filename, mediaType: 'application/x-a' });
    expect([...(file?.content?.value as Buffer)]).toEqual([0, 255, 7]);
    expect(link?.content).toEqual({ $case: 'url', value: 'https://example.com/b' });
    expect(data?.content).toEqual({ $case: 'data', value: { deep: { is: ['it'] } } });
    const back = await settled(peer, taskOf(await peer.send({ message: message('file') })).id);
    expect(back.artifacts[0]?.parts).toMatchObject([
      { mediaType: 'text/plain', ...(!nameless && { filename: 'notes.txt' }) },
    ]);
    const [part] = back.artifacts[0]?.parts ?? [];
    expect(part && 'bytes' in part && Buffer.from(part.bytes).toString()).toBe('bytes of a file');
  });

  test('a plain Message is an answer', async () => {
    const { peer } = await start();
    expect(await peer.send({ message: message('say hello there') })).toMatchObject({
      message: { role: 'ROLE_AGENT', parts: [{ text: 'hello there' }] },
      unread: [],
    });
  });

  test('a question and an answer in the status are seen as what they are, and the answer goes to the same task', async () => {
    const { peer } = await start();
    const { id, contextId } = taskOf(await peer.send({ message: message('ask What name?') }));
    const asked = await settled(peer, id);
    expect(asked.status).toMatchObject({
      state: 'TASK_STATE_INPUT_REQUIRED',
      message: { parts: [{ text: 'What name?' }] },
    });
    const again = await peer.send({ message: message('status Ann it is', { taskId: id, contextId }) });
    expect(taskOf(again).id).toBe(id);
    expect((await settled(peer, id)).status).toMatchObject({
      state: 'TASK_STATE_COMPLETED',
      message: { parts: [{ text: 'Ann it is' }] },
    });
  });

  test('a task is canceled, a second cancel told from a task that is unknown', async () => {
    const { peer, server } = await start();
    const { id } = taskOf(await peer.send({ message: message('hold on') }));
    await server.executor.whenBegun(1);
    expect((await peer.cancel(id)).status.state).toBe('TASK_STATE_CANCELED');
    const done = await settled(peer, taskOf(await peer.send({ message: message('x') })).id);
    await expect(peer.cancel(done.id)).rejects.toMatchObject({ fault: 'refused', code: 'TASK_NOT_CANCELABLE' });
    await expect(peer.get('nothing')).rejects.toMatchObject({ fault: 'task-not-found', code: 'TASK_NOT_FOUND' });
    await expect(peer.cancel('nothing')).rejects.toMatchObject({ fault: 'task-not-found' });
  });

  test('webhooks are registered and deleted', async () => {
    const { peer, server } = await start();
    const { id } = taskOf(await peer.send({ message: message('hold on') }));
    await server.executor.whenBegun(1);
    await peer.setPush(id, { id: 'watch-1', url: 'http://127.0.0.1:1/callback', token: 'token-1' });
    await peer.deletePush(id, 'watch-1');
    expect(server.webhooks).toEqual(['save http://127.0.0.1:1/callback', 'delete watch-1']);
  });

  test('tasks are listed where the version has a list', async () => {
    const { peer } = await start();
    const sent = taskOf(await peer.send({ message: message('x', { messageId: 'm-mine' }) }));
    expect(peer.offers).toEqual({ streaming: true, push: true, list: version === '1.0' });
    if (version === '0.3') {
      await expect(peer.list({})).rejects.toMatchObject({ fault: 'unsupported', sent: false });
      return;
    }
    const [task] = await peer.list({ contextId: sent.contextId });
    expect(task?.id).toBe(sent.id);
    expect(task?.history.map(({ messageId }) => messageId)).toContain('m-mine');
  });
});
