// One readable outcome for whatever a peer does wrong, told by fault and code.
import { describe, expect, test } from '@jest/globals';
import type { RemoteEvent } from '../../src/remote/remote-port.js';
import { KEY, peerWith, text } from '../conformance/client/start.js';
import { MisbehavingPeer, type Misdeed } from '../support/peers/misbehaving-peer.js';
import { closeAfter, RemoteHome } from '../support/remote-home.js';
import { Receiver } from '../support/receiver.js';

const ERRORS: [string, Misdeed, object][] = [
  ['a broken connection', 'drop', { fault: 'unreachable', code: 'CUT', sent: true }],
  ['a web page', 'html', { fault: 'unreachable', code: 'BROKEN_ANSWER' }],
  ['half a document', 'not-json', { fault: 'unreachable', code: 'BROKEN_ANSWER' }],
  ['a redirect', 'redirect', { fault: 'unreachable', code: 'BROKEN_ANSWER' }],
  ['a forgotten task', 'forget', { fault: 'task-not-found', code: 'TASK_NOT_FOUND' }],
  ['a list', { raw: '[]' }, { fault: 'unreachable', code: 'BROKEN_ANSWER' }],
  ['null', { raw: 'null' }, { fault: 'unreachable', code: 'BROKEN_ANSWER' }],
  [
    'an envelope without a result',
    { raw: '{"jsonrpc":"2.0","id":1}' },
    { fault: 'unreachable', code: 'BROKEN_ANSWER' },
  ],
  ['another task', { result: { id: 'other', status: {} } }, { fault: 'unreachable', code: 'BROKEN_ANSWER' }],
  ['something else', { result: { hello: 1 } }, { fault: 'unreachable', code: 'BROKEN_ANSWER' }],
  ['what is nested without end', { raw: '['.repeat(100_000) }, { fault: 'unreachable', code: 'BROKEN_ANSWER' }],
  ['401', { status: 401 }, { fault: 'rejected-key', code: 'UNAUTHENTICATED' }],
  ['403', { status: 403, body: '{"error":{"code":-32001}}' }, { fault: 'rejected-key', code: 'PERMISSION_DENIED' }],
  ['429', { status: 429 }, { fault: 'refused', code: 'HTTP_429' }],
  ['a proxy in trouble', { status: 502, body: '<html>' }, { fault: 'unreachable', code: 'HTTP_502', sent: true }],
  [
    'nothing at the address',
    { status: 404, body: 'Not found' },
    { fault: 'unreachable', code: 'HTTP_404', sent: false },
  ],
];

describe('a peer that misbehaves', () => {
  test.each(ERRORS)('has one readable outcome: %s', async (_name, misdeed, outcome) => {
    const { peer, remote } = await peerWith({});
    peer.from('GetTask', misdeed);
    const asked = remote.get('t');
    await expect(asked).rejects.toMatchObject(outcome);
    await expect(asked).rejects.toThrow(/^(peer|The connection to peer) .*\.$/);
  });

  test('is asked again for what does no harm, and not for a message that may have arrived', async () => {
    const { peer, remote } = await peerWith({});
    await remote.send({ message: text('x') });
    const { id } = peer.latest;
    peer.next('GetTask', 'drop', { status: 503 });
    expect((await remote.get(id)).id).toBe(id);
    expect(peer.calls('GetTask')).toHaveLength(3);
    peer.next('SendMessage', 'drop-after-work');
    await expect(remote.send({ message: text('y') })).rejects.toMatchObject({ fault: 'unreachable', sent: true });
    expect(peer.calls('SendMessage')).toHaveLength(2);
    expect(peer.tasks.size).toBe(2);
  });

  test('that is not there is told apart from one that rejects the key', async () => {
    const { peer, remote, home } = await peerWith({});
    peer.key = KEY;
    await expect(remote.send({ message: text('x') })).rejects.toThrow('peer rejected the key (401).');
    expect(home.remotes.find('peer', 'demo')).toMatchObject({
      reachable: 'yes',
      problem: 'peer rejected the key (401).',
    });
    await peer.stop();
    await expect(remote.get('t')).rejects.toMatchObject({ fault: 'unreachable', sent: false });
    expect(home.remotes.find('peer', 'demo')).toMatchObject({ reachable: 'no' });
  });

  test('that is silent is given up after the time, by the clock', async () => {
    const { peer, remote, home } = await peerWith({});
    peer.from('*', 'silence');
    peer.from('GetTask', 'silence');
    const asked = remote.get('t');
    const failed = expect(asked).rejects.toMatchObject({
      fault: 'timeout',
      message: 'peer did not answer within 30 s.',
    });
    await peer.called('GetTask');
    home.clock.advance(30_000);
    await failed;
  });

  test('that ignores the wish for an immediate return is waited for, until the caller gives up', async () => {
    const { peer, remote, home } = await peerWith({});
    peer.ignoresImmediateReturn = true;
    const answer = remote.send({ message: text('long') });
    await peer.called('SendMessage');
    expect(peer.calls('SendMessage')[0]?.params['configuration']).toEqual({ returnImmediately: true });
    home.clock.advance(1_800_000);
    peer.show(peer.latest.id, 'TASK_STATE_COMPLETED', 'done at last');
    expect(await answer).toMatchObject({ task: { status: { message: { parts: [{ text: 'done at last' }] } } } });
    const controller = new AbortController();
    const given = remote.send({ message: text('again') }, { signal: controller.signal });
    const failed = expect(given).rejects.toMatchObject({ fault: 'aborted' });
    await peer.called('SendMessage', 2);
    controller.abort();
    await failed;
  });

  test('is left alone after five failures in a row, then tried once, and used again when it answers', async () => {
    const { peer, remote, home } = await peerWith({});
    peer.from('SendMessage', 'drop');
    const send = () => remote.send({ message: text('x') });
    for (let i = 0; i < 5; i++) await expect(send()).rejects.toMatchObject({ code: 'CUT' });
    await expect(send()).rejects.toMatchObject({ fault: 'unreachable', code: 'BREAKER_OPEN', sent: false });
    expect(peer.calls('SendMessage')).toHaveLength(5);
    home.clock.advance(10_000);
    await expect(send()).rejects.toMatchObject({ code: 'CUT' });
    await expect(send()).rejects.toMatchObject({ code: 'BREAKER_OPEN' });
    home.clock.advance(20_000);
    peer.from('SendMessage', undefined);
    expect(await send()).toHaveProperty('task');
    expect(await send()).toHaveProperty('task');
  });

  test('that says -32601 to the one version is spoken to in the other, once, and that is told', async () => {
    const { peer, remote, home } = await peerWith({});
    peer.from('SendMessage', { error: { code: -32601, message: 'Method not found' } });
    const old = { kind: 'message', messageId: 'r', role: 'agent', parts: [{ kind: 'text', text: 'in the old way' }] };
    peer.from('message/send', { result: old });
    expect(await remote.send({ message: text('x') })).toMatchObject({
      message: { parts: [{ text: 'in the old way' }] },
    });
    expect(remote.protocol).toBe('0.3');
    const [asked] = peer.calls('message/send');
    expect(asked?.headers['a2a-version']).toBeUndefined();
    expect(asked?.params['message']).toMatchObject({
      kind: 'message',
      role: 'user',
      parts: [{ kind: 'text', text: 'x' }],
    });
    expect(home.remotes.find('peer', 'demo')?.problem).toBe('it speaks A2A 0.3, which its card does not say');
    // From now on without a detour.
    const again = await home.remotes.connect('peer', 'demo');
    await again.send({ message: text('y') });
    expect(peer.calls('SendMessage')).toHaveLength(1);
    peer.from('message/send', { error: { code: -32601, message: 'Method not found' } });
    await expect(again.send({ message: text('z') })).rejects.toThrow(
      'peer speaks neither A2A 0.3 nor 1.0 at its address (METHOD_NOT_FOUND).',
    );
  });

  test('that says -32601 to an operation that not everybody has is not taken for another version', async () => {
    const { peer, remote } = await peerWith({});
    peer.from('ListTasks', { error: { code: -32601, message: 'Method not found' } });
    await expect(remote.list({})).rejects.toMatchObject({ fault: 'unsupported', code: 'METHOD_NOT_FOUND' });
    expect(remote.protocol).toBe('1.0');
  });
});

describe('a stream', () => {
  const open = async () => {
    const { peer, remote, home } = await peerWith({});
    await remote.send({ message: text('x') });
    const { id } = peer.latest;
    const events: RemoteEvent[] = [];
    const read = (async () => {
      for await (const event of remote.subscribe(id)) events.push(event);
    })();
    read.catch(() => undefined);
    await peer.streams.whenOpened(id);
    return { peer, remote, home, id, events, read };
  };

  test('that is cut is told as such, with what came before', async () => {
    const { peer, id, events, read } = await open();
    peer.chunk(id, 'a', [{ text: 'one' }], false);
    await peer.called('SubscribeToTask');
    while (events.length < 2) await new Promise(setImmediate);
    peer.streams.cut(id);
    await expect(read).rejects.toMatchObject({ fault: 'unreachable', code: 'CUT' });
    expect(events.map(({ kind }) => kind)).toEqual(['task', 'artifact']);
  });

  test('lives as long as anything comes, comments included, and ends after a silence', async () => {
    const { peer, home, id, events, read } = await open();
    for (let i = 0; i < 5; i++) {
      home.clock.advance(80_000);
      peer.streams.comment(id);
      peer.show(id, 'TASK_STATE_WORKING', `${i}`);
      while (events.length < i + 2) await new Promise(setImmediate);
    }
    home.clock.advance(90_000);
    await expect(read).rejects.toMatchObject({ fault: 'timeout' });
    expect(events).toHaveLength(6);
  });

  test('is read as the standard says: line ends of all kinds, data in several lines, and no others', async () => {
    const { peer, id, events, read } = await open();
    const status = (text: string): string =>
      `{"statusUpdate":{"taskId":"${id}","contextId":"c","status":{"state":"TASK_STATE_WORKING","message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":${JSON.stringify(text)}}]}}}}`;
    peer.streams.write(
      id,
      `: comment\r\n\r\nid: 7\r\nretry: 1\r\ndata: {"jsonrpc":"2.0","id":$id,\r\ndata: "result":${status('crlf')}}\r\n\r\n`,
    );
    peer.streams.write(id, `data:{"jsonrpc":"2.0","id":$id,"result":${status('line\u2028separator\u2029\u0085')}}\n\n`);
    peer.streams.write(id, `event: message\rdata: ${status('no envelope')}\r\r`);
    peer.show(id, 'TASK_STATE_COMPLETED');
    peer.streams.end(id);
    await read;
    const texts = events.flatMap((event) => (event.kind === 'status' ? [event.status.message?.parts[0]] : []));
    expect(texts).toEqual([
      { text: 'crlf' },
      { text: 'line\u2028separator\u2029\u0085' },
      { text: 'no envelope' },
      undefined,
    ]);
  });

  test('tells what it can not read, and goes on', async () => {
    const { peer, id, events, read } = await open();
    peer.tell(id, { somethingNew: { a: 1 } });
    peer.chunk(id, 'a', undefined, false);
    peer.chunk(id, 'a', [{ kind: 'text', text: 'old' }, { hologram: 1 } as never], true, true);
    peer.show(id, 'TASK_STATE_COMPLETED');
    peer.streams.end(id);
    await read;
    expect(events.slice(1)).toMatchObject([
      { kind: 'unread', unread: ['an answer that is neither task, message nor update: somethingNew'] },
      { kind: 'artifact', artifact: { artifactId: 'a', parts: [] }, append: false, lastChunk: false, unread: [] },
      {
        kind: 'artifact',
        artifact: { parts: [{ text: 'old' }] },
        append: true,
        lastChunk: true,
        unread: ['a part of members hologram'],
      },
      { kind: 'status', status: { state: 'TASK_STATE_COMPLETED' } },
    ]);
  });

  test('that tells of another task says nothing of this one, and that is told', async () => {
    const { peer, id, events, read } = await open();
    const ids = { taskId: 'another', contextId: 'c' };
    const status = { state: 'TASK_STATE_COMPLETED' };
    peer.tell(id, { statusUpdate: { ...ids, status } });
    peer.tell(id, { task: { id: 'another', contextId: 'c', status } });
    peer.tell(id, { artifactUpdate: { ...ids, artifact: { artifactId: 'a', parts: [{ text: 'theirs' }] } } });
    peer.tell(id, { message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'theirs' }], ...ids } });
    peer.tell(id, { statusUpdate: { taskId: '', status: { state: 'TASK_STATE_WORKING' } } });
    peer.streams.end(id);
    await expect(read).rejects.toMatchObject({ code: 'CUT' });
    const unread = { kind: 'unread', unread: ['an event of another task'] };
    expect(events.slice(1)).toMatchObject([unread, unread, unread, unread, { kind: 'status' }]);
  });

  test('that fails in the middle fails with the peer’s own error', async () => {
    const { peer, id, read } = await open();
    peer.streams.write(id, 'data: {"jsonrpc":"2.0","id":$id,"error":{"code":-32603,"message":"it broke"}}\n\n');
    await expect(read).rejects.toMatchObject({ fault: 'refused', code: 'INTERNAL_ERROR' });
  });
});

describe('a file', () => {
  test('comes with the key only from the agent’s own origin', async () => {
    const { peer, remote } = await peerWith({}, { key: KEY, headers: { 'X-Team': 'secret-team-name' } });
    const other = closeAfter(await new Receiver().start());
    other.respond = (_request, res) => void res.setHeader('content-type', 'text/plain').end('from elsewhere');
    peer.files['/files/report%20one.pdf'] = { body: 'report', type: 'application/pdf; q=1' };
    expect(await remote.download(`${peer.url}/files/report%20one.pdf`, 100)).toEqual({
      bytes: Buffer.from('report'),
      filename: 'report one.pdf',
      mediaType: 'application/pdf',
    });
    expect(peer.calls('file')[0]?.headers).toMatchObject({
      authorization: `Bearer ${KEY}`,
      'x-team': 'secret-team-name',
    });
    await remote.download(other.url('/x'), 100);
    expect(JSON.stringify(other.requests)).not.toMatch(/planted|secret/);
  });

  test('that is too large, missing or elsewhere in a private net is refused', async () => {
    const { peer, remote } = await peerWith({});
    peer.files['/big'] = { body: 'x'.repeat(101) };
    await expect(remote.download(`${peer.url}/big`, 100)).rejects.toMatchObject({
      fault: 'refused',
      code: 'TOO_LARGE',
    });
    await expect(remote.download(`${peer.url}/none`, 100)).rejects.toMatchObject({
      fault: 'refused',
      code: 'HTTP_404',
    });
    const secret = 'http://169.254.169.254/latest/meta-data';
    await expect(remote.download(secret, 100)).rejects.toMatchObject({ fault: 'unreachable', sent: false });
    for (const url of ['file:///etc/passwd', 'data:,x', 'nothing'])
      await expect(remote.download(url, 100)).rejects.toMatchObject({ fault: 'unreachable', sent: false });
  });
});

describe('a planted key', () => {
  test('is found in no error, result, view or log, even when the peer repeats it', async () => {
    const { peer, remote, home } = await peerWith({}, { key: KEY });
    const found: unknown[] = [];
    const keep = async (work: Promise<unknown>): Promise<void> => {
      found.push(await work.catch((error: Error) => [error.message, String(error.cause), { ...error }]));
    };
    peer.rewrite = (result) => ({ ...(result as object), metadata: { echo: KEY } });
    peer.next('SendMessage', { error: { code: -32603, message: `your key ${KEY} is odd`, data: { key: KEY } } });
    await keep(remote.send({ message: text('x') }));
    await keep(remote.send({ message: text('x') }));
    peer.show(peer.latest.id, 'TASK_STATE_INPUT_REQUIRED', `is ${KEY} right?`);
    await keep(remote.get(peer.latest.id));
    await keep(remote.subscribe(peer.latest.id)[Symbol.asyncIterator]().next());
    for (const misdeed of [
      'drop',
      'html',
      'redirect',
      { status: 401, body: KEY },
      { status: 500, body: KEY },
    ] as const) {
      peer.next('GetTask', misdeed, misdeed, misdeed);
      await keep(remote.get('t'));
    }
    found.push(home.remotes.list('demo'), home.logged);
    expect(JSON.stringify(found)).not.toContain(KEY);
    expect(JSON.stringify(found)).toContain('[redacted]');
    expect(peer.requests.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`);
  });

  test('does not go where the card says: another origin is called without it, a local name is not believed', async () => {
    const elsewhere = closeAfter(await new Receiver().start());
    const card = (url: string) => ({
      supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    });
    const stolen = await peerWith(card(elsewhere.url('/a2a')), { key: KEY });
    await stolen.remote.send({ message: text('x') }).catch(() => undefined);
    expect(elsewhere.requests).toHaveLength(1);
    expect(JSON.stringify(elsewhere.requests)).not.toContain(KEY);
    expect(stolen.home.remotes.find('peer', 'demo')?.problem).toMatch(
      /names 127\.0\.0\.1:\d+ for JSONRPC, which does not get the key/,
    );
    const mistaken = await peerWith(card('http://[::]:9999/a2a'), { key: KEY });
    await mistaken.remote.send({ message: text('x') });
    expect(mistaken.peer.calls('SendMessage')[0]).toMatchObject({
      path: '/a2a',
      headers: { authorization: `Bearer ${KEY}` },
    });
  });
});

describe('a card that changes', () => {
  test.each([
    'http://169.254.169.254/a2a',
    'http://10.0.0.1/a2a',
    'http://[fd00:ec2::254]/a2a',
    'http://metadata.internal/',
  ])('to %s leads nobody there', async (url) => {
    const { peer, home } = await peerWith({}, { key: KEY });
    peer.card = { supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }] };
    home.clock.advance(300_000);
    const remote = await home.remotes.connect('peer', 'demo');
    await expect(remote.send({ message: text('x') })).rejects.toMatchObject({ fault: 'unreachable', sent: false });
    expect(peer.calls('SendMessage')).toHaveLength(0);
  });

  test('its skills, its version and its bindings is used as it is now, and what it lost is not asked for', async () => {
    const { peer, home } = await peerWith({});
    const skills = (): unknown => home.remotes.find('peer', 'demo')?.skills.map(({ id }) => id);
    expect(skills()).toEqual(['work']);
    const skill = { id: 'other', name: 'Other', description: 'Another', tags: [] };
    peer.card = { skills: [skill], capabilities: {} };
    home.clock.advance(300_000);
    const remote = await home.remotes.connect('peer', 'demo');
    expect([skills(), remote.offers]).toEqual([['other'], { streaming: false, push: false, list: true }]);
  });
});

describe('an agent that was not there at first', () => {
  test('is listed as unreachable with the reason, and is there once it answers', async () => {
    const home = new RemoteHome();
    const peer = await new MisbehavingPeer().start();
    const { port, url } = peer;
    await peer.stop();
    home.agents({ name: 'late', url });
    expect(home.remotes.list('demo')).toMatchObject([{ name: 'late', reachable: 'unknown', skills: [] }]);
    expect(await home.remotes.probe('demo')).toMatchObject([
      {
        name: 'late',
        reachable: 'no',
        problem: 'late could not be reached: no connection could be made, or it broke.',
      },
    ]);
    const back = closeAfter(await new MisbehavingPeer().start(port));
    expect(await home.remotes.probe('demo')).toMatchObject([
      { name: 'late', reachable: 'yes', protocols: ['1.0'], bindings: ['JSONRPC'], skills: [{ id: 'work' }] },
    ]);
    expect(back.calls('card')).toHaveLength(1);
  });
});
