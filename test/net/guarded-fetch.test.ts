import { createServer as createHttpsServer } from 'node:https';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { createGuardedFetch, type GuardedFetch } from '../../src/net/guarded-fetch.js';
import { FetchError } from '../../src/net/fetch-error.js';
import type { FetchPolicy } from '../../src/net/fetch-policy.js';
import { FakeClock } from '../support/fake-clock.js';
import { Receiver } from '../support/receiver.js';
import { SelfSigned } from '../support/self-signed.js';

const STRANGER: FetchPolicy = { purpose: 'file', trusted: false };
let clock = new FakeClock();
beforeEach(() => (clock = new FakeClock()));
const names: Record<string, string[]> = {
  'private.example': ['10.0.0.1', '::1'],
  'metadata.example': ['169.254.169.254'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'loop.example': ['127.0.0.1'],
  'mixed.example': ['10.9.9.9', '127.0.0.1'],
  'public.example': ['1.1.1.1'],
};
const resolve = async (host: string): Promise<string[]> => {
  const addresses = names[host];
  if (!addresses) throw Object.assign(new Error(`no ${host}`), { code: 'ENOTFOUND' });
  return addresses;
};
const open = new Set<GuardedFetch>();
function guarded(...allowPrivate: string[]): GuardedFetch {
  const net = createGuardedFetch({ allowPrivate, clock, resolve });
  open.add(net);
  return net;
}
afterEach(async () => {
  for (const net of open) await net.close();
  open.clear();
});

const reasonOf = async (work: Promise<unknown>): Promise<unknown> => {
  try {
    await work;
    return 'fetched';
  } catch (error) {
    return error instanceof FetchError ? error.reason : error;
  }
};

describe('a URL by itself', () => {
  it.each([
    ['https://hooks.example/x?y=1', undefined],
    ['https://8.8.8.8/', undefined],
    ['https://unresolvable.example/', undefined],
    ['https://127.0.0.1/', 'must not lead to a private address'],
    ['https://2130706433/', 'must not lead to a private address'],
    ['https://0x7f.1/', 'must not lead to a private address'],
    ['https://169.254.169.254/latest', 'must not lead to a private address'],
    ['https://[::1]/', 'must not lead to a private address'],
    ['https://[::ffff:127.0.0.1]/', 'must not lead to a private address'],
    ['https://[64:ff9b::a00:1]/', 'must not lead to a private address'],
    ['http://127.0.0.1/', 'must not lead to a private address'],
    ['http://hooks.example/', 'must be an https URL'],
    ['http://8.8.8.8/', 'must be an https URL'],
    ['ftp://hooks.example/', 'must be an absolute https URL'],
    ['file:///etc/passwd', 'must be an absolute https URL'],
    ['javascript:alert(1)', 'must be an absolute https URL'],
    ['//hooks.example/x', 'must be an absolute https URL'],
    ['', 'must be an absolute https URL'],
    ['https://user@hooks.example/', 'must not hold a user or a password'],
    ['https://:secret@hooks.example/', 'must not hold a user or a password'],
  ])('%s: %j', (url, problem) => {
    expect(guarded().urlProblem(STRANGER, url)).toBe(problem);
  });

  it('may be http and private where the operator says so', () => {
    expect(guarded('127.0.0.1').urlProblem(STRANGER, 'http://127.0.0.1:80/')).toBeUndefined();
    expect(guarded('build.example').urlProblem(STRANGER, 'http://build.example/')).toBeUndefined();
    expect(guarded('build.example').urlProblem(STRANGER, 'http://other.example/')).toBe('must be an https URL');
    expect(guarded('*').urlProblem(STRANGER, 'http://other.example/')).toBeUndefined();
  });
});

describe('the check of a new URL', () => {
  it.each([
    ['https://private.example/', 'must not lead to a private address'],
    ['https://metadata.example/', 'must not lead to a private address'],
    ['https://mapped.example/', 'must not lead to a private address'],
    ['https://public.example/', undefined],
    ['https://nowhere.example/', undefined],
    ['https://127.0.0.1/', 'must not lead to a private address'],
  ])('looks names up: %s: %j', async (url, problem) => {
    expect(await guarded().checkUrl(STRANGER, url)).toBe(problem);
  });

  it('does not wait long for a name service that says nothing', async () => {
    const slow = createGuardedFetch({ allowPrivate: [], clock, resolve: () => new Promise(() => undefined) });
    const checked = slow.checkUrl(STRANGER, 'https://slow.example/');
    clock.advance(2_000);
    expect(await checked).toBeUndefined();
  });
});

describe('a guarded fetch', () => {
  const receiver = new Receiver();
  beforeAll(() => receiver.start());
  afterAll(() => receiver.stop());
  beforeEach(() => {
    receiver.requests.length = 0;
    receiver.respond = (_request, res) => void res.end('hello');
  });

  it('sends what it is given and hands out the answer', async () => {
    receiver.respond = (_request, res) => void res.writeHead(404, { 'X-One': ['a', 'b'] }).end('hello');
    const answer = await guarded('127.0.0.1').request(STRANGER, receiver.url('/p?q=1#f'), {
      method: 'POST',
      headers: { 'Content-Type': 'text/plain' },
      body: 'x',
    });
    expect([answer.status, answer.headers['x-one'], String(await answer.bytes())]).toEqual([404, 'a, b', 'hello']);
    expect(receiver.requests).toMatchObject([{ method: 'POST', path: '/p?q=1', body: 'x' }]);
    expect(receiver.requests[0]?.headers).toMatchObject({
      'content-type': 'text/plain',
      'accept-encoding': 'identity',
    });
  });

  it.each(['127.0.0.1', 'localhost'])('reaches nothing private by default (%s)', async (host) => {
    const before = receiver.connections;
    expect(await reasonOf(guarded().request(STRANGER, receiver.url('/', host)))).not.toBe('fetched');
    expect(receiver.connections).toBe(before);
  });

  it.each([
    ['loop.example', [], 'bad-url'],
    ['loop.example', ['10.0.0.0/8'], 'not-allowed'],
    ['mapped.example', ['10.0.0.0/8'], 'not-allowed'],
    ['loop.example', ['127.0.0.0/8'], 'fetched'],
    ['loop.example', ['loop.example'], 'fetched'],
    ['nowhere.example', ['*'], 'unresolvable'],
  ])('to the name %s with %j allowed: %s', async (host, allowed, result) => {
    expect(await reasonOf(guarded(...allowed).request(STRANGER, receiver.url('/', host)))).toBe(result);
    expect(receiver.requests.length).toBe(result === 'fetched' ? 1 : 0);
  });

  it('over https is refused when the name leads to a private address', async () => {
    const url = `https://loop.example:${receiver.port}/`;
    const before = receiver.connections;
    expect(await reasonOf(guarded().request(STRANGER, url))).toBe('not-allowed');
    expect(receiver.connections).toBe(before);
  });

  it('dials only the addresses that passed, and resolves a name once per connection', async () => {
    let asked = 0;
    const rebinding = createGuardedFetch({
      allowPrivate: ['127.0.0.1'],
      clock,
      // The second answer would lead elsewhere.
      resolve: async () => (++asked === 1 ? (names['mixed.example'] as string[]) : ['10.9.9.9']),
    });
    open.add(rebinding);
    const answer = await rebinding.request(STRANGER, receiver.url('/', 'mixed.example'));
    expect([String(await answer.bytes()), asked]).toEqual(['hello', 1]);
  });

  it('uses no connection again that was opened for somebody trusted', async () => {
    const net = guarded('10.0.0.0/8');
    const url = receiver.url('/', 'loop.example');
    const trusted = await net.request({ purpose: 'remote-agent', trusted: true }, url);
    expect(String(await trusted.bytes())).toBe('hello');
    expect(await reasonOf(net.request(STRANGER, url))).toBe('not-allowed');
    expect(receiver.requests.length).toBe(1);
  });

  it.each([
    ['http://127.0.0.1:80/', undefined],
    ['https://127.0.0.1/', undefined],
    ['http://agent.example/', undefined],
    ['http://8.8.8.8/', 'must be an https URL'],
    ['https://169.254.169.254/', 'must not lead to a private address'],
    ['https://100.100.100.200/', 'must not lead to a private address'],
    ['https://[fd00:ec2::254]/', 'must not lead to a private address'],
    ['https://[::ffff:127.0.0.1]/', 'must not lead to a private address'],
    ['https://0.0.0.0/', 'must not lead to a private address'],
    ['https://224.0.0.1/', 'must not lead to a private address'],
  ])('may go to private addresses when trusted, never to where clouds keep credentials: %s %j', (url, problem) => {
    expect(guarded().urlProblem({ purpose: 'model', trusted: true }, url)).toBe(problem);
  });

  it('over plain http goes to no public address, trusted or not', async () => {
    const model: FetchPolicy = { purpose: 'model', trusted: true };
    expect(await guarded().checkUrl(model, 'http://public.example/')).toBe('must be an https URL');
    expect(await reasonOf(guarded().request(model, 'http://public.example/'))).toBe('not-allowed');
    expect(await guarded().checkUrl(model, 'http://private.example/')).toBeUndefined();
  });

  it.each([301, 302, 303, 307, 308])('does not follow a redirect (%i)', async (status) => {
    receiver.respond = (_request, res) => void res.writeHead(status, { Location: receiver.url('/elsewhere') }).end();
    expect(await reasonOf(guarded('*').request(STRANGER, receiver.url('/')))).toBe('redirect');
    expect(receiver.requests.map(({ path }) => path)).toEqual(['/']);
  });

  it('knows 304 as an answer', async () => {
    receiver.respond = (_request, res) => void res.writeHead(304).end();
    const answer = await guarded('*').request(STRANGER, receiver.url('/'));
    await answer.discard();
    expect(answer.status).toBe(304);
  });

  it('uses no proxy from the environment', async () => {
    const before = { ...process.env };
    Object.assign(process.env, { http_proxy: 'http://127.0.0.1:1', HTTP_PROXY: 'http://127.0.0.1:1' });
    try {
      expect((await guarded('*').request(STRANGER, receiver.url('/'))).status).toBe(200);
    } finally {
      delete process.env['http_proxy'];
      delete process.env['HTTP_PROXY'];
      Object.assign(process.env, before);
    }
  });

  it.each([
    ['declared', { 'Content-Length': '11' }],
    ['found while reading', undefined],
  ])('takes no body above the limit (%s)', async (_how, headers) => {
    receiver.respond = (_request, res) => void res.writeHead(200, headers).end('hello there');
    const answer = await guarded('*').request(STRANGER, receiver.url('/'), { maxBytes: 10 });
    expect(await reasonOf(answer.bytes())).toBe('too-large');
  });

  it('takes no body in an encoding it did not ask for', async () => {
    receiver.respond = (_request, res) => void res.writeHead(200, { 'Content-Encoding': 'gzip' }).end('x');
    expect(await reasonOf((await guarded('*').request(STRANGER, receiver.url('/'))).bytes())).toBe('bad-answer');
  });

  it('gives up when the time is over, before the headers and in the middle of a body', async () => {
    const net = guarded('*');
    receiver.respond = () => undefined;
    const silent = reasonOf(net.request(STRANGER, receiver.url('/'), { timeoutMs: 500 }));
    await receiver.received(1);
    clock.advance(500);
    expect(await silent).toBe('timeout');
    receiver.respond = (_request, res) => void res.writeHead(200).write('x');
    const answer = await net.request(STRANGER, receiver.url('/'), { timeoutMs: 500 });
    const stalled = reasonOf(answer.bytes());
    clock.advance(500);
    expect(await stalled).toBe('timeout');
    expect(clock.pending).toBe(0);
  });

  it('gives up when it is told to', async () => {
    const net = guarded('*');
    const controller = new AbortController();
    receiver.respond = () => undefined;
    const running = reasonOf(net.request(STRANGER, receiver.url('/'), { signal: controller.signal }));
    await receiver.received(1);
    controller.abort();
    expect(await running).toBe('aborted');
    expect(await reasonOf(net.request(STRANGER, receiver.url('/'), { signal: controller.signal }))).toBe('aborted');
  });

  it('says when the other side breaks off, is not there, or speaks no HTTP', async () => {
    const net = guarded('*');
    receiver.respond = (_request, res) =>
      void res.writeHead(200, { 'Content-Length': '9' }).write('x', () => res.destroy());
    expect(await reasonOf((await net.request(STRANGER, receiver.url('/'))).bytes())).toBe('unreachable');
    expect(await reasonOf(net.request(STRANGER, 'http://127.0.0.1:1/'))).toBe('unreachable');
    const babble = createServer(
      (socket) => void socket.on('error', () => undefined).write('220 mail.example ready\r\n'),
    );
    babble.listen(0, '127.0.0.1');
    await once(babble, 'listening');
    const { port } = babble.address() as { port: number };
    const reason = await reasonOf(net.request(STRANGER, `http://127.0.0.1:${port}/`));
    babble.close();
    expect(reason).toBe('bad-answer');
  });

  describe('when a connection that it used before turns out to be closed', () => {
    const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
    /** Answers the first request of each connection, and breaks it at the second; or the other way round. */
    async function start(cut: (socket: Socket) => void, atOnce = false) {
      const seen: number[] = [];
      const listener = createServer((socket) => {
        let requests = 0;
        socket.on('error', () => undefined);
        socket.on('data', (piece) => {
          if (!piece.toString('latin1').endsWith('end of body')) return;
          seen.push(++requests);
          if (requests > 1 || atOnce) cut(socket);
          else socket.write(answer);
        });
      });
      listener.listen(0, '127.0.0.1');
      await once(listener, 'listening');
      const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/`;
      const net = guarded('127.0.0.1');
      const post = async (repeatable: boolean): Promise<number> => {
        const posted = await net.request(STRANGER, url, { method: 'POST', body: 'end of body', repeatable });
        await posted.discard();
        // The client takes note of the end of an answer a moment later.
        await new Promise((resolve) => setImmediate(resolve));
        return posted.status;
      };
      return { post, seen, stop: () => listener.close() };
    }
    const cuts: [string, (socket: Socket) => void][] = [
      ['ended', (socket) => void socket.end()],
      ['destroyed', (socket) => void socket.destroy()],
      ['reset', (socket) => void socket.resetAndDestroy()],
    ];

    it.each(cuts)('sends what may be repeated again on one of its own (%s)', async (_, cut) => {
      const { post, seen, stop } = await start(cut);
      expect([await post(true), await post(true), seen]).toEqual([200, 200, [1, 2, 1]]);
      stop();
    });

    it.each(cuts)('sends nothing else again (%s)', async (_, cut) => {
      const { post, seen, stop } = await start(cut);
      await post(false);
      expect([await reasonOf(post(false)), seen]).toEqual(['unreachable', [1, 2]]);
      stop();
    });

    const babble = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n';
    it.each([...cuts, ['answered with what is no answer', (socket: Socket) => void socket.write(babble)] as const])(
      'sends nothing again that a new connection did not take (%s)',
      async (_, cut) => {
        const { post, seen, stop } = await start(cut, true);
        expect([await reasonOf(post(true)), seen]).toEqual(['unreachable', [1]]);
        stop();
      },
    );
  });

  it('takes no certificate that nobody known has signed, whatever the environment says', async () => {
    const files = new SelfSigned();
    let asked = 0;
    const server = createHttpsServer(files.pems, (_req, res) => (asked++, res.end()));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      for (const policy of [STRANGER, { purpose: 'remote-agent', trusted: true } as const]) {
        const refusal = guarded('127.0.0.1').request(policy, `https://127.0.0.1:${port}/`);
        await expect(refusal).rejects.toMatchObject({
          reason: 'unreachable',
          cause: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
        });
      }
      expect(asked).toBe(0);
    } finally {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      server.close();
      files.remove();
    }
  });

  it('sends no header that holds a line break', async () => {
    const headers = { Authorization: 'Bearer x\r\nX-Evil: 1' };
    expect(await reasonOf(guarded('*').request(STRANGER, receiver.url('/'), { headers }))).toBe('bad-url');
    expect(receiver.requests).toEqual([]);
  });
});
