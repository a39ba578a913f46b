// What the client sends with each request, and what it makes of answers; the titles are rows of docs/conformance.md.
import { describe, expect, it } from '@jest/globals';
import type { Peer } from '../../../src/remote/remote-port.js';
import { SdkPeer } from '../../support/peers/sdk-peer.js';
import { closeAfter, RemoteHome } from '../../support/remote-home.js';
import { KEY, peerWith, text } from './start.js';

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const PUSH = { id: 'w', url: 'http://127.0.0.1:1/', token: 'token' };

/** Every operation once, each whether it works or not. */
async function everything(remote: Peer, traceparent?: string): Promise<void> {
  const options = traceparent === undefined ? {} : { traceparent };
  const sent = await remote.send({ message: text('x') }, options);
  const id = 'task' in sent ? sent.task.id : '';
  const stream = remote.subscribe(id, options)[Symbol.asyncIterator]();
  await stream.next().catch(() => undefined);
  await stream.return?.();
  const rest = [
    () => remote.get(id, options),
    () => remote.list({}, options),
    () => remote.setPush(id, PUSH, options),
    () => remote.deletePush(id, 'w', options),
    () => remote.cancel(id, options),
  ];
  for (const one of rest) await one().catch(() => undefined);
}

describe('the client', () => {
  it.each(['JSONRPC', 'HTTP+JSON', 'GRPC'] as const)(
    '[37][39][44] Every request names the version, as two numbers. (§3.6.1, §14.2.1, §9.2)',
    async (binding) => {
      const peer = closeAfter(await new SdkPeer({ bindings: [binding] }).start());
      await everything(await new RemoteHome().connect({ url: peer.url }));
      const versions = [
        ...peer.requests.map(({ headers }) => headers['a2a-version']),
        ...peer.grpcCalls.map(({ metadata }) => metadata['a2a-version']),
      ];
      expect(versions.length).toBeGreaterThanOrEqual(8);
      expect(new Set(versions)).toEqual(new Set(['1.0']));
    },
  );

  it('[43] A pinned version is the only one that is spoken: no older one is fallen back to. (§3.6.3)', async () => {
    const old = { supportedInterfaces: undefined, protocolVersion: '0.3.0', url: '/a2a' };
    await expect(peerWith(old, { protocol: '1.0' })).rejects.toThrow(/names JSONRPC of A2A 0\.3, and A2A 1\.0 is/);
    const { peer, remote } = await peerWith({}, { protocol: '1.0' });
    peer.from('SendMessage', { error: { code: -32601, message: 'Method not found' } });
    const refused = remote.send({ message: text('x') });
    await expect(refused).rejects.toMatchObject({ fault: 'unsupported', code: 'METHOD_NOT_FOUND' });
    await expect(refused).rejects.toThrow(/does not speak A2A 1\.0, and no other version may be tried/);
    expect(peer.requests.map(({ method }) => method)).toEqual(['card', 'SendMessage']);
  });

  it('[47] Extensions are requested by name, and only those that the card declares and this side knows. (§4.6.1)', async () => {
    const uri = 'urn:a2a-switchboard:ext:idempotent-send:v1';
    const extensions = [{ uri }, { uri: 'urn:example:other' }];
    const declared = await peerWith({ capabilities: { extensions } });
    await declared.remote.send({ message: text('x') });
    expect(declared.peer.calls('SendMessage')[0]?.headers['a2a-extensions']).toBe(uri);
    expect(declared.remote.idempotent).toBe(true);
    // What was asked for and is not in force is told.
    expect(declared.home.remotes.find('peer', 'demo')?.problem).toBe(
      `it declares the extension ${uri} and did not activate it`,
    );
    const plain = await peerWith({});
    await plain.remote.send({ message: text('x') });
    expect(plain.peer.calls('SendMessage')[0]?.headers['a2a-extensions']).toBeUndefined();
    expect(plain.home.remotes.find('peer', 'demo')).not.toHaveProperty('problem');
    const required = [{ uri: 'urn:example:renamed', required: true }];
    const { home } = await peerWith({ capabilities: { extensions: required } });
    expect(home.remotes.find('peer', 'demo')?.problem).toMatch(/requires the extension urn:example:renamed/);
    expect(plain.remote.idempotent).toBe(false);
  });

  it('[59] An answer to another request is none. (§9.3)', async () => {
    const { peer, remote } = await peerWith({});
    peer.from('GetTask', { raw: '{"jsonrpc":"2.0","id":"other","result":{"id":"t","status":{"state":1}}}' });
    await expect(remote.get('t')).rejects.toMatchObject({ fault: 'unreachable', code: 'BROKEN_ANSWER' });
  });

  it('[111] A stream that ends before the task is a stream that broke, and one of a task that has ended is not waited for. (§3.1.6, §3.5)', async () => {
    const { peer, remote } = await peerWith({});
    await remote.send({ message: text('x') });
    const { id } = peer.latest;
    const read = async (): Promise<string[]> => {
      const states: string[] = [];
      for await (const event of remote.subscribe(id)) {
        if (event.kind === 'task') states.push(event.task.status.state);
        else if (event.kind === 'status') states.push(event.status.state);
      }
      return states;
    };
    const early = read();
    await peer.streams.whenOpened(id, 1);
    peer.streams.end(id);
    await expect(early).rejects.toMatchObject({ fault: 'unreachable', code: 'CUT', sent: true });
    const late = read();
    await peer.streams.whenOpened(id, 2);
    peer.show(id, 'TASK_STATE_COMPLETED');
    peer.streams.end(id);
    expect(await late).toEqual(['TASK_STATE_WORKING', 'TASK_STATE_COMPLETED']);
    peer.from('SubscribeToTask', { error: { code: -32004, message: 'It has ended.' } });
    await expect(read()).rejects.toMatchObject({ fault: 'unsupported', code: 'UNSUPPORTED_OPERATION' });
    expect((await remote.get(id)).status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('[125] Pages are read until there is no next one, and never twice. (§3.1.4)', async () => {
    const { peer, remote } = await peerWith({});
    const page = (id: string, nextPageToken: string) => ({
      result: { tasks: [{ id, contextId: 'c', status: { state: 'TASK_STATE_WORKING' } }], nextPageToken },
    });
    peer.next('ListTasks', page('a', 'p2'), page('b', ''));
    expect((await remote.list({ contextId: 'c' })).map(({ id }) => id)).toEqual(['a', 'b']);
    expect(peer.calls('ListTasks').map(({ params }) => params['pageToken'])).toEqual([undefined, 'p2']);
    peer.from('ListTasks', page('again', 'same'));
    expect(await remote.list({})).toHaveLength(2);
  });

  it('[162] No contextId is made up: the first message carries none. (§3.4.1)', async () => {
    const { peer, remote } = await peerWith({});
    await remote.send({ message: text('x') });
    expect(peer.calls('SendMessage')[0]?.params['message']).not.toHaveProperty('contextId');
  });

  describe.each([
    ['TASK_NOT_FOUND', -32001, 'task-not-found'],
    ['TASK_NOT_CANCELABLE', -32002, 'refused'],
    ['PUSH_NOTIFICATION_NOT_SUPPORTED', -32003, 'unsupported'],
    ['UNSUPPORTED_OPERATION', -32004, 'unsupported'],
    ['CONTENT_TYPE_NOT_SUPPORTED', -32005, 'refused'],
    ['INVALID_AGENT_RESPONSE', -32006, 'refused'],
    ['EXTENDED_AGENT_CARD_NOT_CONFIGURED', -32007, 'unsupported'],
    ['EXTENSION_SUPPORT_REQUIRED', -32008, 'refused'],
    ['VERSION_NOT_SUPPORTED', -32009, 'unsupported'],
  ])('for %s', (reason, rpc, fault) => {
    it('[179] Errors are told apart by reason and number, not by words. (§5.4, §11.6)', async () => {
      const { peer, remote } = await peerWith({}, { protocol: '1.0' });
      const info = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'a2a-protocol.org' };
      peer.from('ListTasks', { error: { code: rpc, message: 'whatever it says' } });
      await expect(remote.list({})).rejects.toMatchObject({ fault, code: reason });
      // Where the reason says more than the number.
      peer.from('ListTasks', { error: { code: -32603, message: 'whatever it says', data: [info] } });
      await expect(remote.list({})).rejects.toMatchObject({ fault, code: reason });
      peer.from('ListTasks', { error: { code: -32099, message: 'task not found' } });
      await expect(remote.list({})).rejects.toMatchObject({ fault: 'refused', code: 'RPC_-32099' });
    });
  });

  describe.each([
    ['header', { apiKeySecurityScheme: { location: 'header', name: 'X-API-Key' } }, ['x-api-key', KEY]],
    ['cookie', { apiKeySecurityScheme: { location: 'cookie', name: 'session' } }, ['cookie', `session=${KEY}`]],
    ['bearer', { httpAuthSecurityScheme: { scheme: 'Bearer' } }, ['authorization', `Bearer ${KEY}`]],
    ['basic', { httpAuthSecurityScheme: { scheme: 'basic' } }, ['authorization', `Basic ${KEY}`]],
    ['0.3 header', { type: 'apiKey', in: 'header', name: 'X-Old' }, ['x-old', KEY]],
    ['none declared', undefined, ['authorization', `Bearer ${KEY}`]],
  ])('for a scheme of %s', (_name, scheme, [at, value]) => {
    it('[184] The key goes where the card says, and never into the message. (§7.3)', async () => {
      const security = scheme && { securitySchemes: { one: scheme }, securityRequirements: [{ schemes: { one: {} } }] };
      const { peer, remote } = await peerWith(security ?? {}, { key: KEY });
      await everything(remote);
      const calls = peer.requests.filter(({ method }) => method !== 'card');
      expect(calls.length).toBeGreaterThanOrEqual(6);
      for (const { headers, params, path } of calls) {
        expect(headers[at as string]).toBe(value);
        expect(JSON.stringify(params) + path).not.toContain(KEY);
      }
    });
  });

  it('[184] The key goes where the card says, and never into the message. (§7.3)', async () => {
    const scheme = { apiKeySecurityScheme: { location: 'query', name: 'api_key' } };
    const { peer, remote } = await peerWith({ securitySchemes: { one: scheme } }, { key: KEY });
    await remote.send({ message: text('x') });
    expect(peer.calls('SendMessage')[0]).toMatchObject({ path: `/a2a?api_key=${KEY}` });
    expect(peer.calls('SendMessage')[0]?.headers.authorization).toBeUndefined();
  });

  it('[195] Trace context goes with every request; one is begun where there is none. (enterprise-ready)', async () => {
    const { peer, remote } = await peerWith({});
    await everything(remote, TRACE);
    const traces = peer.requests.map(({ headers }) => headers.traceparent);
    expect(traces.length).toBeGreaterThanOrEqual(8);
    expect(new Set(traces.slice(1))).toEqual(new Set([TRACE]));
    expect(traces[0]).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    expect(traces[0]).not.toMatch(/-0{16}-/);
  });

  it('[197] The tenant of the interface goes with every request, exactly as it is. (§8.3.2, §4.4.6)', async () => {
    const tenant = 'Acme & Söhne/1';
    for (const binding of ['JSONRPC', 'HTTP+JSON'] as const) {
      const { peer, remote } = await peerWith({
        supportedInterfaces: [{ url: '/a2a', protocolBinding: binding, protocolVersion: '1.0', tenant }],
      });
      if (binding === 'JSONRPC') {
        await everything(remote);
        const tenants = peer.requests.slice(1).map(({ params }) => params['tenant']);
        expect(tenants.length).toBeGreaterThanOrEqual(7);
        expect(new Set(tenants)).toEqual(new Set([tenant]));
      } else {
        await remote.get('t').catch(() => undefined);
        expect(peer.requests.at(-1)?.path).toBe(`/a2a/${encodeURIComponent(tenant)}/tasks/t`);
      }
    }
    const { peer, remote } = await peerWith({});
    await everything(remote);
    for (const { params } of peer.requests) expect(params).not.toHaveProperty('tenant');
  });

  it('[C1][C4] Over gRPC of 0.3 it calls the methods of that version, by resource names and without a version. (0.3)', async () => {
    const peer = closeAfter(await new SdkPeer({ bindings: ['GRPC'], versions: ['0.3'], key: KEY }).start());
    const remote = await new RemoteHome().connect({ url: peer.url, key: KEY });
    await everything(remote, TRACE);
    expect(peer.grpcCalls.map(({ path }) => path)).toEqual(
      [
        'SendMessage',
        'TaskSubscription',
        'GetTask',
        'CreateTaskPushNotificationConfig',
        'DeleteTaskPushNotificationConfig',
        'CancelTask',
      ].map((name) => `/a2a.v1.A2AService/${name}`),
    );
    for (const { metadata } of peer.grpcCalls) {
      expect(metadata).toMatchObject({ authorization: `Bearer ${KEY}`, traceparent: TRACE });
      expect(metadata).not.toHaveProperty('a2a-version');
    }
    expect(peer.requests.map(({ method, path }) => [method, path])).toEqual([['GET', '/.well-known/agent-card.json']]);
  });

  it('[C19] What 0.3 does not have is told as unsupported, without a request. (0.3)', async () => {
    const { peer, remote } = await peerWith({ supportedInterfaces: undefined, protocolVersion: '0.3.0', url: '/a2a' });
    expect(remote.offers.list).toBe(false);
    await expect(remote.list({})).rejects.toMatchObject({ fault: 'unsupported', sent: false });
    expect(peer.requests.map(({ method }) => method)).toEqual(['card']);
  });
});
