// One readable outcome for whatever a peer does wrong over gRPC, in either version.
import { describe, expect, test } from '@jest/globals';
import type { Peer, RemoteEvent } from '../../src/remote/remote-port.js';
import type { RemoteAgent } from '../../src/workspace/remote-agent-files.js';
import { KEY, text } from '../conformance/client/start.js';
import { MisbehavingPeer, type Json } from '../support/peers/misbehaving-peer.js';
import { frame, RawGrpcPeer, type GrpcAnswer } from '../support/peers/raw-grpc-peer.js';
import { closeAfter, RemoteHome } from '../support/remote-home.js';

type Version = '1.0' | '0.3';

/** `said` is the version that the card tells. */
async function start(version: Version, entry: Partial<RemoteAgent> = {}, said = version) {
  const peer = closeAfter(await new RawGrpcPeer(version).start());
  const card = closeAfter(await new MisbehavingPeer().start());
  card.card =
    said === '1.0'
      ? { supportedInterfaces: [{ url: peer.address, protocolBinding: 'GRPC', protocolVersion: '1.0' }] }
      : { supportedInterfaces: undefined, protocolVersion: '0.3.0', url: peer.address, preferredTransport: 'GRPC' };
  const home = new RemoteHome();
  const remote: Peer = await home.connect({ url: card.url, ...entry });
  return { peer, home, remote };
}

const task = (id: string, state = 'TASK_STATE_WORKING') => ({ id, contextId: 'c', status: { state } });
const subscription = (version: Version): string => (version === '1.0' ? 'SubscribeToTask' : 'TaskSubscription');
/** A message that says to be longer than it is. */
const GARBAGE = Buffer.from([0x0a, 0x7f, 0x01]);
/** Groups in groups without end, by a field that neither version has. */
const NESTED = Buffer.alloc(100_000, 0x7b);

const nested = (levels: number): Json => (levels === 0 ? {} : { a: nested(levels - 1) });

type Make = (peer: RawGrpcPeer) => GrpcAnswer;
const BROKEN = { fault: 'unreachable', code: 'BROKEN_ANSWER', sent: true };
const ERRORS: [string, Make, object][] = [
  ['a broken connection', () => 'drop', { fault: 'unreachable', code: 'CUT', sent: true }],
  ['bytes that are no message', () => ({ messages: [GARBAGE] }), BROKEN],
  ['what is nested without end', () => ({ messages: [NESTED] }), BROKEN],
  ['data nested too deep', (peer) => ({ messages: [peer.task({ ...task('t'), metadata: nested(70) })] }), BROKEN],
  ['an empty message', () => ({ messages: [Buffer.alloc(0)] }), BROKEN],
  ['another task', (peer) => ({ messages: [peer.task(task('other'))] }), BROKEN],
  ['a forgotten task', () => ({ code: 5 }), { fault: 'task-not-found', code: 'GRPC_NOT_FOUND' }],
  ['no key', () => ({ code: 16 }), { fault: 'rejected-key', code: 'UNAUTHENTICATED' }],
  ['a key for others', () => ({ code: 7 }), { fault: 'rejected-key', code: 'PERMISSION_DENIED' }],
  ['too many calls', () => ({ code: 8 }), { fault: 'refused', code: 'GRPC_8' }],
  ['a status of its own', () => ({ code: 99 }), { fault: 'refused', code: 'GRPC_99' }],
  ['a proxy that wants a key', () => ({ http: 401, body: KEY }), { fault: 'rejected-key' }],
  ['a proxy in trouble', () => ({ http: 502, body: '<html>' }), { fault: 'unreachable', code: 'CUT', sent: true }],
  ['a web page', () => ({ http: 200, body: '<html>'.repeat(100) }), { fault: 'refused', code: 'GRPC_8' }],
];

describe.each<Version>(['1.0', '0.3'])('a peer that misbehaves over gRPC of %s', (version) => {
  test.each(ERRORS)('has one readable outcome: %s', async (_name, make, outcome) => {
    const { peer, remote } = await start(version);
    peer.methods['GetTask'] = make(peer);
    const asked = remote.get('t');
    await expect(asked).rejects.toMatchObject(outcome);
    await expect(asked).rejects.toThrow(/^(peer|The connection to peer) .*[.)]$/);
  });

  test('is sent a message once, though it may not have arrived, and asked again for what does no harm', async () => {
    const { peer, remote } = await start(version);
    peer.methods['SendMessage'] = 'drop';
    peer.methods['GetTask'] = 'drop';
    await expect(remote.send({ message: text('x') })).rejects.toMatchObject({ fault: 'unreachable', sent: true });
    expect(peer.calls).toHaveLength(1);
    await expect(remote.get('t')).rejects.toMatchObject({ code: 'CUT' });
    expect(peer.calls).toHaveLength(4);
  });

  test('that is silent is given up after the time, by the clock, or when its caller gives up', async () => {
    const { peer, remote, home } = await start(version);
    peer.methods['GetTask'] = 'silence';
    const late = expect(remote.get('t')).rejects.toMatchObject({ fault: 'timeout' });
    await peer.called(1);
    home.clock.advance(30_000);
    await late;
    const controller = new AbortController();
    const given = expect(remote.get('t', { signal: controller.signal })).rejects.toMatchObject({ fault: 'aborted' });
    await peer.called(2);
    controller.abort();
    await given;
  });

  test('whose stream is cut in the middle of a message, or brings what is none, ends as such, with what came before', async () => {
    const { peer, remote } = await start(version);
    const status = { taskId: 't', contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' } };
    const foreign = { ...status, taskId: 'another' };
    const messages = [peer.event({ task: task('t') }), peer.event({ statusUpdate: foreign })];
    peer.methods[subscription(version)] = { messages, open: true };
    const read = async (go: () => void): Promise<[RemoteEvent['kind'][], unknown]> => {
      const kinds: RemoteEvent['kind'][] = [];
      try {
        for await (const { kind } of remote.subscribe('t')) if (kinds.push(kind) === 2) go();
        return [kinds, undefined];
      } catch (error) {
        return [kinds, error];
      }
    };
    const last = (): (typeof peer.streams)[0] => peer.streams.at(-1)!;
    const cut = await read(() => {
      last().write(frame(peer.event({ statusUpdate: status })).subarray(0, 12), () => peer.cut());
    });
    expect(cut).toMatchObject([['task', 'unread'], { fault: 'unreachable', code: 'CUT' }]);
    const broken = await read(() => void last().write(frame(GARBAGE)));
    expect(broken).toMatchObject([['task', 'unread'], BROKEN]);
    const ended = await read(() => void last().end());
    expect(ended).toMatchObject([['task', 'unread'], { code: 'CUT' }]);
    const whole = await read(() => void last().end(frame(peer.event({ statusUpdate: status }))));
    expect(whole).toEqual([['task', 'unread', 'status'], undefined]);
  });

  test('whose data holds numbers that JSON does not know is read without them, and that is told', async () => {
    const { peer, remote } = await start(version);
    peer.methods['GetTask'] = { messages: [peer.task({ ...task('t'), metadata: { a: NaN, b: [Infinity, 1.5] } })] };
    expect(await remote.get('t')).toMatchObject({
      metadata: { a: null, b: [null, 1.5] },
      unread: ['a number that is not finite'],
    });
  });

  test('shows its key nowhere, even when the peer repeats it', async () => {
    const { peer, remote, home } = await start(version, { key: KEY });
    const found: unknown[] = [];
    const keep = async (work: Promise<unknown>): Promise<void> => {
      found.push(await work.catch((error: Error) => [error.message, String(error.cause), { ...error }]));
    };
    peer.methods['GetTask'] = { messages: [peer.task({ ...task('t'), metadata: { echo: KEY } })] };
    await keep(remote.get('t'));
    peer.methods['GetTask'] = { code: 3, details: `your key ${KEY} is odd` };
    await keep(remote.get('t'));
    const event = peer.event({ task: { ...task('t'), metadata: { echo: KEY } } });
    peer.methods[subscription(version)] = { messages: [event] };
    await keep(remote.subscribe('t')[Symbol.asyncIterator]().next());
    expect(peer.calls.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`);
    found.push(home.remotes.list('demo'), home.logged);
    expect(JSON.stringify(found)).not.toContain(KEY);
    expect(JSON.stringify(found).split('[redacted]').length).toBeGreaterThan(3);
  });

  test('that does not know the version of its card is spoken to in the other, once, unless one is prescribed', async () => {
    const said = version === '1.0' ? '0.3' : '1.0';
    const { peer, remote, home } = await start(version, {}, said);
    peer.methods['GetTask'] = { messages: [peer.task(task('t'))] };
    expect((await remote.get('t')).id).toBe('t');
    expect(peer.calls.map(({ path }) => path)).toEqual(
      (version === '1.0' ? ['a2a.v1', 'lf.a2a.v1'] : ['lf.a2a.v1', 'a2a.v1']).map(
        (one) => `/${one}.A2AService/GetTask`,
      ),
    );
    expect(remote.protocol).toBe(version);
    expect(home.remotes.find('peer', 'demo')?.problem).toBe(`it speaks A2A ${version}, which its card does not say`);
    delete peer.methods['GetTask'];
    await expect(remote.get('t')).rejects.toThrow(/speaks neither A2A .* at its address/);
    const pinned = await start(version, { protocol: said }, said);
    await expect(pinned.remote.get('t')).rejects.toThrow(
      `does not speak A2A ${said}, and no other version may be tried`,
    );
  });
});

describe('over gRPC of 0.3', () => {
  test.each([
    [5, 'TaskNotFoundError: no', 'task-not-found', 'TASK_NOT_FOUND'],
    [12, 'TaskNotCancelableError: it has ended', 'refused', 'TASK_NOT_CANCELABLE'],
    [12, 'UnsupportedOperationError: no', 'refused', 'UNSUPPORTED_OPERATION'],
    [12, 'ContentTypeNotSupportedError: no', 'refused', 'CONTENT_TYPE_NOT_SUPPORTED'],
    [3, 'InvalidParamsError: no', 'refused', 'INVALID_PARAMS'],
    [2, 'SomethingElseError: no', 'refused', 'GRPC_2'],
  ])('an error of status %d is known by the name that begins it: %s', async (code, details, fault, known) => {
    const { peer, remote } = await start('0.3');
    peer.methods['CancelTask'] = { code, details };
    await expect(remote.cancel('t')).rejects.toMatchObject({ fault, code: known });
    expect(peer.calls).toHaveLength(1);
  });

  test('a state that the schema lacks is taken as working, and that is told', async () => {
    const { peer, remote } = await start('0.3');
    peer.methods['GetTask'] = { messages: [peer.task(task('t', 'TASK_STATE_NOVEL'))] };
    expect(await remote.get('t')).toMatchObject({
      status: { state: 'TASK_STATE_WORKING' },
      unread: ['the state "none", taken as working'],
    });
  });
});
