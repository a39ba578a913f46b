// How the client finds an agent and chooses the way to it; the titles are rows of docs/conformance.md.
import { describe, expect, it } from '@jest/globals';
import { MisbehavingPeer, type Json } from '../../support/peers/misbehaving-peer.js';
import { SdkPeer } from '../../support/peers/sdk-peer.js';
import { closeAfter, RemoteHome } from '../../support/remote-home.js';
import { KEY, peerWith, text } from './start.js';

describe('the client', () => {
  it('[19] A card is kept as long as its headers allow, then asked for again on condition, and kept on a 304. (§8.6.2)', async () => {
    const peer = closeAfter(await new MisbehavingPeer().start());
    peer.cardHeaders = { 'cache-control': 'public, max-age=60', etag: '"v1"' };
    const home = new RemoteHome().agents({ name: 'peer', url: peer.url });
    const ask = async (): Promise<number> => {
      await (await home.remotes.connect('peer', 'demo')).send({ message: text('x') });
      return peer.calls('card').length;
    };
    expect([await ask(), await ask()]).toEqual([1, 1]);
    home.clock.advance(60_000);
    expect([await ask(), await ask()]).toEqual([2, 2]);
    expect(peer.calls('card').map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"v1"']);
    peer.cardHeaders = { etag: '"v2"' };
    home.clock.advance(60_000);
    expect(await ask()).toBe(3);
    // Without a lifetime of its own, a card is good for five minutes.
    home.clock.advance(299_000);
    expect(await ask()).toBe(3);
    home.clock.advance(1_000);
    expect(await ask()).toBe(4);
  });

  it('[9][20] The first interface whose binding and version are known is used, with its own address. (§4.4.6, §8.3.2)', async () => {
    const { peer, remote } = await peerWith({
      supportedInterfaces: [
        { url: 'wss://127.0.0.1:1/', protocolBinding: 'urn:example:websocket', protocolVersion: '1.0' },
        { url: 'http://127.0.0.1:1/lower', protocolBinding: 'jsonrpc', protocolVersion: '1.0' },
        { url: 'http://127.0.0.1:1/later', protocolBinding: 'JSONRPC', protocolVersion: '2.0' },
        { url: '/second', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        { url: '/third', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      ],
    });
    await remote.send({ message: text('x') });
    expect(peer.calls('SendMessage').map(({ path }) => path)).toEqual(['/second']);
  });

  it('[21] Another declared binding is tried when the first can not be reached. (§5.2)', async () => {
    const peer = closeAfter(await new SdkPeer({ bindings: ['HTTP+JSON'] }).start());
    const dead = { url: 'http://127.0.0.1:1/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' };
    const live = { url: `${peer.url}/rest`, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' };
    const card = closeAfter(await new MisbehavingPeer().start());
    card.card = { supportedInterfaces: [dead, live] };
    const remote = await new RemoteHome().connect({ url: card.url });
    expect(remote.binding).toBe('JSONRPC');
    expect(await remote.send({ message: text('x') })).toHaveProperty('task');
    expect(remote.binding).toBe('HTTP+JSON');
  });

  it('[22] What the card does not offer is not asked for. (§3.3.4)', async () => {
    const { peer, remote } = await peerWith({ capabilities: {} });
    expect(remote.offers).toMatchObject({ streaming: false, push: false });
    const config = { id: 'w', url: 'http://127.0.0.1:1/', token: 't' };
    const asked = [
      remote.subscribe('t')[Symbol.asyncIterator]().next(),
      remote.setPush('t', config),
      remote.deletePush('t', 'w'),
    ];
    for (const one of asked) await expect(one).rejects.toMatchObject({ fault: 'unsupported', sent: false });
    expect(peer.requests.map(({ method }) => method)).toEqual(['card']);
  });

  it('[24][28] With a key, the extended card takes the place of the public one, which stays if there is none. (§3.1.11, §13.3)', async () => {
    const peer = closeAfter(await new MisbehavingPeer().start());
    peer.card = { capabilities: { streaming: true, extendedAgentCard: true } };
    const skill = { id: 'secret', name: 'Secret', description: 'For those with a key', tags: [] };
    peer.next('GetExtendedAgentCard', { result: { name: 'Extended', skills: [skill], capabilities: {} } });
    const home = new RemoteHome();
    const skills = async (): Promise<unknown> => {
      await home.remotes.connect('peer', 'demo');
      return home.remotes.find('peer', 'demo')?.skills.map(({ id }) => id);
    };
    // Whatever the extended card lacks of interfaces, the public one has.
    home.agents({ name: 'peer', url: peer.url, key: KEY });
    peer.card = { ...peer.card, version: '2' };
    expect(await skills()).toEqual(['secret']);
    expect(peer.calls('GetExtendedAgentCard')[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    peer.next('GetExtendedAgentCard', { error: { code: -32007, message: 'There is none.' } });
    home.clock.advance(300_000);
    expect(await skills()).toEqual(['work']);
    home.agents({ name: 'peer', url: peer.url });
    expect(await skills()).toEqual(['work']);
    expect(peer.calls('GetExtendedAgentCard')).toHaveLength(2);
  });

  it('[C14] Cards of 0.3, of 1.0 and of both in one are understood. (0.3)', async () => {
    const used = async (card: Json): Promise<unknown[]> => {
      const { remote, home } = await peerWith({ supportedInterfaces: undefined, ...card });
      return [remote.protocol, remote.binding, home.remotes.find('peer', 'demo')?.bindings];
    };
    const rest = { url: '/rest', transport: 'HTTP+JSON' };
    expect(await used({ protocolVersion: '0.3.0', url: '/a2a' })).toEqual(['0.3', 'JSONRPC', ['JSONRPC']]);
    expect(
      await used({
        protocolVersion: '0.3.0',
        url: '/rest',
        preferredTransport: 'HTTP+JSON',
        additionalInterfaces: [rest, { url: '/a2a', transport: 'JSONRPC' }],
      }),
    ).toEqual(['0.3', 'HTTP+JSON', ['HTTP+JSON', 'JSONRPC']]);
    expect(
      await used({ supportedInterfaces: [{ url: '/a', protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' }] }),
    ).toEqual(['1.0', 'HTTP+JSON', ['HTTP+JSON']]);
    const grpc = { protocolVersion: '0.3.0', url: '127.0.0.1:1', preferredTransport: 'GRPC' };
    expect(await used(grpc)).toEqual(['0.3', 'GRPC', ['GRPC']]);
    expect(
      await used({
        ...grpc,
        supportedInterfaces: [{ url: '127.0.0.1:1', protocolBinding: 'GRPC', protocolVersion: '0.3' }],
        additionalInterfaces: [{ url: '/a2a', transport: 'JSONRPC' }],
      }),
    ).toEqual(['0.3', 'GRPC', ['GRPC', 'JSONRPC']]);
  });

  it('[C16] The older name of the card is tried where the newer one is not found, below the address and at the root. (0.3)', async () => {
    const peer = closeAfter(await new MisbehavingPeer().start());
    peer.next('card', { status: 404 }, { status: 404 }, { status: 404 });
    await new RemoteHome().connect({ url: `${peer.url}/agents/one` });
    expect(peer.calls('card').map(({ path }) => path)).toEqual([
      '/agents/one/.well-known/agent-card.json',
      '/agents/one/.well-known/agent.json',
      '/.well-known/agent-card.json',
      '/.well-known/agent.json',
    ]);
  });

  it('[C22] Of a card for both versions, the 1.0 interface is used, wherever it stands. (§3.6.3)', async () => {
    const { peer, remote } = await peerWith({
      protocolVersion: '0.3.0',
      url: '/old',
      supportedInterfaces: [
        { url: '/old', protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
        { url: '/new', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      ],
    });
    await remote.send({ message: text('x') });
    expect(peer.calls('SendMessage')[0]).toMatchObject({ path: '/new', headers: { 'a2a-version': '1.0' } });
  });
});
