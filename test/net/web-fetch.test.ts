// The WHATWG fetch over guarded connections: what clients rely on, and what it refuses.
import { FetchError } from '../../src/net/fetch-error.js';
import type { FetchPolicy } from '../../src/net/fetch-policy.js';
import { createGuardedFetch } from '../../src/net/guarded-fetch.js';
import type { StreamLimits } from '../../src/net/web-fetch.js';
import { FakeClock } from '../support/fake-clock.js';
import { Receiver } from '../support/receiver.js';

const MODEL: FetchPolicy = { purpose: 'model', trusted: true };
const receiver = new Receiver();
const net = createGuardedFetch({ allowPrivate: [], clock: new FakeClock() });
const fetched = (limits?: Partial<StreamLimits>, policy = MODEL): typeof fetch => net.fetch(policy, limits);

beforeAll(() => receiver.start());
afterAll(async () => {
  await net.close();
  await receiver.stop();
});
beforeEach(() => {
  receiver.requests.length = 0;
  receiver.respond = (_request, res) => void res.end('hello');
});

async function failure(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
    return 'fetched';
  } catch (error) {
    return error instanceof TypeError && error.cause instanceof FetchError ? error.cause.reason : error;
  }
}

describe('the guarded WHATWG fetch', () => {
  it('sends what it is given and answers with a Response', async () => {
    receiver.respond = (_request, res) => void res.writeHead(404, { 'X-One': ['a', 'b'] }).end('{"a":1}');
    const answer = await fetched()(receiver.url('/p?q=1'), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: 'Bearer k', 'Accept-Encoding': 'gzip' },
      body: '{"b":2}',
    });
    expect(answer).toBeInstanceOf(Response);
    expect([answer.status, answer.ok, answer.headers.get('x-one'), answer.url]).toEqual([
      404,
      false,
      'a, b',
      receiver.url('/p?q=1'),
    ]);
    expect(await answer.json()).toEqual({ a: 1 });
    expect(receiver.requests).toMatchObject([{ method: 'POST', path: '/p?q=1', body: '{"b":2}' }]);
    expect(receiver.requests[0]?.headers).toMatchObject({
      authorization: 'Bearer k',
      'content-type': 'application/json',
      'content-length': '7',
      'accept-encoding': 'identity',
    });
  });

  it.each([
    ['URL', () => fetched()(new URL(receiver.url('/u')))],
    ['Request', () => fetched()(new Request(receiver.url('/u'), { method: 'PUT', body: 'x', duplex: 'half' }))],
  ])('takes a %s', async (_what, send) => {
    expect(await (await send()).text()).toBe('hello');
    expect(receiver.requests[0]?.path).toBe('/u');
  });

  it('streams bodies both ways', async () => {
    let more: () => void = () => undefined;
    receiver.respond = (request, res) => {
      res.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(`data: ${request.body}\n\n`);
      more = () => void res.end('data: 2\n\n');
    };
    const body = ReadableStream.from([Buffer.from('on'), Buffer.from('e')]) as ReadableStream;
    const answer = await fetched()(receiver.url('/'), { method: 'POST', body, duplex: 'half' });
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    const next = async (): Promise<string> => String(Buffer.from((await reader.read()).value ?? []));
    expect(await next()).toBe('data: one\n\n');
    more();
    expect([await next(), (await reader.read()).done]).toEqual(['data: 2\n\n', true]);
    expect(receiver.requests[0]?.headers['transfer-encoding']).toBe('chunked');
  });

  it('sends forms as forms', async () => {
    const form = new FormData();
    form.append('a', '1');
    await (await fetched()(receiver.url('/'), { method: 'POST', body: form })).text();
    expect(receiver.requests[0]?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    expect(receiver.requests[0]?.body).toContain('name="a"');
  });

  it.each([204, 304])('answers without a body where the status has none (%i)', async (status) => {
    receiver.respond = (_request, res) => void res.writeHead(status).end();
    const answer = await fetched()(receiver.url('/'));
    expect([answer.status, answer.body]).toEqual([status, null]);
  });

  it.each(['follow', 'manual', 'error'] as const)('follows no redirect, with redirect: %s', async (redirect) => {
    receiver.respond = (_request, res) => void res.writeHead(302, { Location: '/elsewhere' }).end();
    expect(await failure(fetched()(receiver.url('/'), { redirect }))).toBe('redirect');
    expect(receiver.requests.map(({ path }) => path)).toEqual(['/']);
  });

  it('cannot be given other connections to use', async () => {
    const dispatcher = { dispatch: () => expect(undefined).toBe('used') };
    const answer = await fetched()(receiver.url('/'), { dispatcher } as unknown as RequestInit);
    expect(await answer.text()).toBe('hello');
  });

  it.each([
    ['packed body', { 'Content-Encoding': 'gzip' }, 'bad-answer'],
    ['body packed several times', { 'Content-Encoding': 'br, gzip' }, 'bad-answer'],
  ])('takes no %s', async (_what, headers, reason) => {
    receiver.respond = (_request, res) => void res.writeHead(200, headers).end('x');
    expect(await failure(fetched()(receiver.url('/')))).toBe(reason);
  });

  it('takes no status that a Response cannot have', async () => {
    receiver.respond = (_request, res) => void res.writeHead(799).end('x');
    expect(await failure(fetched()(receiver.url('/')))).toBe('bad-answer');
  });

  it.each([
    ['a body', 'application/json', 'x'.repeat(11), 'too-large'],
    ['one event', 'text/event-stream', 'data: 12345\n\n', 'too-large'],
    ['many small events', 'text/event-stream; charset=utf-8', 'data: 1\n\n'.repeat(50), 'fetched'],
  ])('limits %s', async (_what, type, text, result) => {
    receiver.respond = (_request, res) => void res.writeHead(200, { 'Content-Type': type }).end(text);
    const answer = await fetched({ maxBytes: 10 })(receiver.url('/'));
    expect(await failure(answer.text())).toBe(result);
  });

  it('gives up a body in which nothing comes any more, however long it has been', async () => {
    receiver.respond = (_request, res) => void res.writeHead(200).write('x');
    const answer = await fetched({ idleMs: 5 })(receiver.url('/'));
    expect(await failure(answer.text())).toBe('timeout');
  });

  it('gives up waiting for headers', async () => {
    receiver.respond = () => undefined;
    expect(await failure(fetched({ headersMs: 5 })(receiver.url('/')))).toBe('timeout');
  });

  it("fails with the signal's reason, before and in the middle of a body", async () => {
    const reason = new Error('enough');
    expect(await failure(fetched()(receiver.url('/'), { signal: AbortSignal.abort(reason) }))).toBe(reason);
    const controller = new AbortController();
    receiver.respond = (_request, res) => void res.writeHead(200).write('x');
    const answer = await fetched()(receiver.url('/'), { signal: controller.signal });
    const text = failure(answer.text());
    controller.abort(reason);
    expect(await text).toBe(reason);
  });

  it('lets go of the connection when its reader does', async () => {
    let closed: () => void = () => undefined;
    const gone = new Promise<void>((resolve) => (closed = resolve));
    receiver.respond = (_request, res) => void res.once('close', closed).writeHead(200).write('x');
    const answer = await fetched()(receiver.url('/'));
    await answer.body?.cancel();
    await gone;
    expect(receiver.requests.length).toBe(1);
  });

  it('says when the other side breaks off', async () => {
    receiver.respond = (_request, res) =>
      void res.writeHead(200, { 'Content-Length': '9' }).write('x', () => res.destroy());
    const answer = await fetched()(receiver.url('/'));
    expect(await failure(answer.text())).toBe('unreachable');
  });
});

describe('trust', () => {
  const STRANGER: FetchPolicy = { purpose: 'remote-agent', trusted: false };

  it('is needed for a private address', async () => {
    expect(await failure(fetched({}, STRANGER)(receiver.url('/')))).toBe('not-allowed');
    expect(receiver.requests).toEqual([]);
  });

  it('may be in one host alone', async () => {
    const one: FetchPolicy = { purpose: 'remote-agent', trusted: true, host: '127.0.0.1' };
    expect((await fetched({}, one)(receiver.url('/'))).status).toBe(200);
    const other: FetchPolicy = { purpose: 'remote-agent', trusted: true, host: 'agent.example' };
    expect(await failure(fetched({}, other)(receiver.url('/')))).toBe('not-allowed');
  });
});
