import { describe, expect, test } from '@jest/globals';
import { KEY, text } from '../conformance/client/start.js';
import { SdkPeer } from '../support/peers/sdk-peer.js';
import { MisbehavingPeer } from '../support/peers/misbehaving-peer.js';
import { closeAfter, RemoteHome } from '../support/remote-home.js';

describe('over gRPC', () => {
  const start = async (options: object = {}, entry: object = {}) => {
    const server = closeAfter(await new SdkPeer({ bindings: ['GRPC'], ...options }).start());
    const home = new RemoteHome();
    return { server, home, remote: await home.connect({ url: server.url, ...entry }) };
  };

  test('the key, the tenant and the trace go as metadata and as a field', async () => {
    const { server, remote } = await start(
      { key: KEY, tenant: 'acme' },
      { key: KEY, headers: { 'X-Team': 'blue-team' } },
    );
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await remote.send({ message: text('x') }, { traceparent });
    expect(server.grpcCalls).toMatchObject([
      {
        path: '/lf.a2a.v1.A2AService/SendMessage',
        metadata: { authorization: `Bearer ${KEY}`, 'x-team': 'blue-team', 'a2a-version': '1.0', traceparent },
      },
    ]);
  });

  test('a rejected key, a forgotten task and an ended one are told apart', async () => {
    const locked = await start({ key: KEY });
    await expect(locked.remote.get('t')).rejects.toMatchObject({ fault: 'rejected-key', code: 'UNAUTHENTICATED' });
    const { remote } = await start();
    await expect(remote.get('nothing')).rejects.toMatchObject({ fault: 'task-not-found', code: 'TASK_NOT_FOUND' });
    const sent = await remote.send({ message: text('x') });
    const id = 'task' in sent ? sent.task.id : '';
    await expect(remote.subscribe(id)[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      fault: 'unsupported',
      code: 'UNSUPPORTED_OPERATION',
    });
  });

  test('a peer that is not there has not received anything', async () => {
    const card = closeAfter(await new MisbehavingPeer().start());
    card.card = { supportedInterfaces: [{ url: '127.0.0.1:1', protocolBinding: 'GRPC', protocolVersion: '1.0' }] };
    const remote = await new RemoteHome().connect({ url: card.url });
    await expect(remote.send({ message: text('x') })).rejects.toMatchObject({ fault: 'unreachable', sent: false });
  });

  test.each(['1.0', '0.3'])(
    'a card can not lead to a private address of another host, in %s',
    async (protocolVersion) => {
      const card = closeAfter(await new MisbehavingPeer().start());
      card.card = { supportedInterfaces: [{ url: '10.0.0.1:443', protocolBinding: 'GRPC', protocolVersion }] };
      const remote = await new RemoteHome().connect({ url: card.url });
      await expect(remote.send({ message: text('x') })).rejects.toThrow(/may not be reached from here/);
    },
  );

  test('a stream that is cut, silent or given up ends as such', async () => {
    const { server, home, remote } = await start();
    const follow = async (signal?: AbortSignal): Promise<AsyncIterator<unknown>> => {
      const sent = await remote.send({ message: text('hold') });
      const id = 'task' in sent ? sent.task.id : '';
      const stream = remote.subscribe(id, signal ? { signal } : {});
      const events = stream[Symbol.asyncIterator]();
      await events.next();
      return events;
    };
    const silent = await follow();
    const late = expect(silent.next()).rejects.toMatchObject({ fault: 'timeout' });
    await new Promise(setImmediate);
    home.clock.advance(90_000);
    await late;
    const controller = new AbortController();
    const given = await follow(controller.signal);
    const aborted = expect(given.next()).rejects.toMatchObject({ fault: 'aborted' });
    controller.abort();
    await aborted;
    const cut = await follow();
    const broken = expect(cut.next()).rejects.toMatchObject({ fault: 'unreachable', code: 'CUT' });
    await server.stop();
    await broken;
  });
});
