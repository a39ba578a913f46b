// The server here as an agent elsewhere that offers nothing but gRPC of 0.3.
import { describe, expect, test } from '@jest/globals';
import { isSettled } from '../../src/a2a-model.js';
import type { Peer, RemoteEvent, RemoteMessage, RemoteTask, SendResult } from '../../src/remote/remote-port.js';
import { grpcAddress } from '../conformance/a2a/grpc-binding.js';
import { KEYS, useBridgeServer } from '../surfaces/a2a-bridge/bridge-server.js';
import { ManualAgent } from '../support/manual-agent.js';
import { MisbehavingPeer, type Json } from '../support/peers/misbehaving-peer.js';
import { closeAfter, RemoteHome } from '../support/remote-home.js';

const agent = new ManualAgent('message');
const server = useBridgeServer({ grpcPort: 0 }, [agent.plugin]);

/** By a card of 0.3 with the service as its one interface, or with others. */
async function connect(key: string, more: (address: string) => Json = () => ({})) {
  const address = await grpcAddress(server);
  const card = closeAfter(await new MisbehavingPeer().start());
  const only = { supportedInterfaces: undefined, protocolVersion: '0.3.0', url: address, preferredTransport: 'GRPC' };
  card.card = { ...only, ...more(address) };
  const home = new RemoteHome();
  const peer: Peer = await home.connect({ url: card.url, key });
  return { peer, home };
}

let messages = 0;
const saying = (parts: RemoteMessage['parts'] | string, more: Partial<RemoteMessage> = {}) => ({
  message: {
    messageId: `own-${++messages}`,
    role: 'ROLE_USER' as const,
    parts: typeof parts === 'string' ? [{ text: parts }] : parts,
    ...more,
  },
});
const taskOf = (sent: SendResult): RemoteTask => ('task' in sent ? sent.task : (undefined as never));

/** What a subscription brings, up to an end or a question; `begun` is called after the first event. */
async function followed(peer: Peer, id: string, begun = (): unknown => undefined): Promise<RemoteEvent[]> {
  const events: RemoteEvent[] = [];
  for await (const event of peer.subscribe(id)) {
    if (events.push(event) === 1) await begun();
    const status = event.kind === 'task' ? event.task.status : event.kind === 'status' ? event.status : undefined;
    if (status && isSettled(status.state)) break;
  }
  return events;
}

/** The task once it has ended, or waits. */
async function settled(peer: Peer, sent: SendResult): Promise<RemoteTask> {
  const { id, status } = taskOf(sent);
  if (!isSettled(status.state)) await followed(peer, id);
  return peer.get(id);
}

describe('the server here, called over gRPC of 0.3', () => {
  test('takes a message, a question’s answer, a look and a cancel, and streams what happens', async () => {
    const { peer } = await connect(KEYS.bob);
    expect([peer.protocol, peer.binding]).toEqual(['0.3', 'GRPC']);
    const asked = await settled(peer, await peer.send(saying('ask Which?')));
    expect(asked.status).toMatchObject({
      state: 'TASK_STATE_INPUT_REQUIRED',
      message: { parts: [{ text: 'Which?' }] },
    });
    const { id, contextId } = asked;
    const done = await settled(peer, await peer.send(saying('that one', { taskId: id, contextId })));
    expect(done).toMatchObject({ id, contextId, status: { state: 'TASK_STATE_COMPLETED' }, unread: [] });
    expect(done.history.map(({ role }) => role)).toContain('ROLE_USER');
    expect(await followed(peer, id)).toMatchObject([{ kind: 'task', task: { id, artifacts: done.artifacts } }]);

    const long = taskOf(await peer.send(saying('wait 60000')));
    const states: unknown[] = [];
    const events = await followed(peer, long.id, async () => states.push((await peer.cancel(long.id)).status.state));
    expect(states).toEqual(['TASK_STATE_CANCELED']);
    expect(events.map(({ kind }) => kind)).toEqual(['task', 'status']);
    expect(events[1]).toMatchObject({ taskId: long.id, status: { state: 'TASK_STATE_CANCELED' } });
  });

  test('gets and gives files with their names, data of every kind and metadata', async () => {
    const { peer } = await connect(KEYS.bob);
    const parts: RemoteMessage['parts'] = [
      { text: 'echo', metadata: { lang: 'en' } },
      { bytes: Buffer.from([0, 255, 7]), filename: 'a.bin', mediaType: 'image/png' },
      { data: { a: [1, null, { b: 'c' }] } },
      { data: [1.5, 'two'] },
    ];
    const { history } = await settled(peer, await peer.send(saying(parts)));
    expect(history[0]?.parts).toEqual([
      parts[0],
      { bytes: expect.anything(), filename: 'a.bin', mediaType: 'image/png' },
      ...parts.slice(2),
    ]);
    const [, file] = history[0]?.parts ?? [];
    expect(file && 'bytes' in file && [...file.bytes]).toEqual([0, 255, 7]);
    const given = await settled(peer, await peer.send(saying('file out.txt some words; data [1,2]')));
    const made = given.artifacts.flatMap((artifact) => artifact.parts);
    expect(made).toContainEqual(expect.objectContaining({ filename: 'out.txt' }));
    expect(made).toContainEqual(expect.objectContaining({ data: [1, 2] }));
  });

  test('answers with a plain Message where its agent does', async () => {
    const { peer } = await connect(KEYS.mia);
    const sending = peer.send(saying('hi'));
    (await agent.next()).end({ kind: 'completed', parts: [{ text: 'the answer' }, { data: { n: 3 } }] });
    const message = { role: 'ROLE_AGENT', parts: [{ text: 'the answer' }, { data: { n: 3 } }] };
    expect(await sending).toMatchObject({ message, unread: [] });
    expect(await sending).not.toHaveProperty('message.taskId');
  });

  test('takes webhooks and gives them up', async () => {
    const { peer } = await connect(KEYS.bob);
    const { id } = await settled(peer, await peer.send(saying('ask x')));
    const configs = (): unknown => server.switchboard.core.ledger.get(id)?.envelope.pushConfigs ?? [];
    await peer.setPush(id, { id: 'watch', url: 'https://8.8.8.8/hook', token: 'token' });
    expect(configs()).toMatchObject([{ id: 'watch', url: 'https://8.8.8.8/hook', token: 'token' }]);
    await peer.deletePush(id, 'watch');
    expect(configs()).toEqual([]);
  });

  test('tells a wrong key, an unknown, an ended and a busy task apart, and has no list', async () => {
    const { peer } = await connect(KEYS.bob);
    await expect((await connect('wrong')).peer.get('t')).rejects.toMatchObject({ fault: 'rejected-key' });
    await expect(peer.get('nothing')).rejects.toMatchObject({ fault: 'task-not-found', code: 'TASK_NOT_FOUND' });
    const { id } = await settled(peer, await peer.send(saying('hello')));
    await expect(peer.cancel(id)).rejects.toMatchObject({ fault: 'refused', code: 'TASK_NOT_CANCELABLE' });
    const more = peer.send(saying('more', { taskId: id }));
    await expect(more).rejects.toMatchObject({ fault: 'refused', code: 'UNSUPPORTED_OPERATION' });
    const { contextId } = taskOf(await peer.send(saying('wait 60000')));
    await expect(peer.send(saying('too early', { contextId }))).rejects.toMatchObject({ fault: 'busy', code: 'BUSY' });
    await expect(peer.list({})).rejects.toMatchObject({ fault: 'unsupported', sent: false });
    expect([peer.protocol, peer.binding]).toEqual(['0.3', 'GRPC']);
  });

  test('gives its extended card to those with a key', async () => {
    const { home } = await connect(KEYS.bob, () => ({ supportsAuthenticatedExtendedCard: true, skills: [] }));
    const { skills = [], protocols } = home.remotes.find('peer', 'demo') ?? {};
    expect(skills.length).toBeGreaterThan(0);
    expect(protocols).toEqual(['0.3']);
  });

  test('is reached over it when it stands behind another interface, in cards of 0.3 and of both versions', async () => {
    const dead = 'http://127.0.0.1:1/a2a';
    const cards: ((address: string) => Json)[] = [
      (url) => ({
        url: dead,
        preferredTransport: 'JSONRPC',
        additionalInterfaces: [{ url, transport: 'GRPC' }],
      }),
      (url) => ({
        url: undefined,
        supportedInterfaces: [
          { url: dead, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
          { url, protocolBinding: 'GRPC', protocolVersion: '0.3' },
        ],
      }),
    ];
    for (const card of cards) {
      const { peer } = await connect(KEYS.bob, card);
      expect(peer.binding).toBe('JSONRPC');
      expect(await peer.send(saying('hello'))).toHaveProperty('task');
      expect([peer.protocol, peer.binding]).toEqual(['0.3', 'GRPC']);
    }
  });
});
