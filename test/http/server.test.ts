import { afterEach, describe, expect, it } from '@jest/globals';
import { Router } from 'express';
import { connect } from 'node:net';
import { systemClock } from '../../src/clock.js';
import { DEFAULTS } from '../../src/config.js';
import { Metrics } from '../../src/http/metrics.js';
import { createHttpServer, type HttpServer, type HttpServerDeps } from '../../src/http/server.js';
import { silentLogger } from '../../src/log.js';

const open: HttpServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close(100);
});

async function start(
  corsOrigins: string[] = [],
  settings: Partial<HttpServerDeps['config']> = {},
): Promise<{ server: HttpServer; url: string; port: number }> {
  const server = createHttpServer({
    config: { ...DEFAULTS, corsOrigins, ...settings },
    log: silentLogger(),
    clock: systemClock,
    metrics: new Metrics(),
  });
  open.push(server);
  const router = Router();
  router.get('/throw', () => {
    throw new Error('secret detail');
  });
  router.get('/item/:id', (req, res) => void res.json(req.params));
  server.mount('/things', router);
  const { port } = await server.listen('127.0.0.1', 0);
  return { server, url: `http://127.0.0.1:${port}`, port };
}

describe('the server', () => {
  it.each([
    ['/nothing', 404, (body: { error: { code: unknown } }) => expect(body.error.code).toBe('not-found')],
    ['/a2a/nothing', 404, (body: { error: { code: unknown } }) => expect(body.error.code).toBe(404)],
    ['/a2a', 404, (body: { jsonrpc?: string }) => expect(body.jsonrpc).toBe('2.0')],
    ['/things/throw', 500, (body: object) => expect(JSON.stringify(body)).not.toContain('secret')],
    ['/things/item/%ff', 400, (body: { error: { code: unknown } }) => expect(body.error.code).toBe('invalid-request')],
  ])('answers %s as JSON in the shape of its surface', async (path, status, check) => {
    const { url } = await start();
    const response = await fetch(url + path);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toContain('json');
    expect(response.headers.get('x-powered-by')).toBeNull();
    check((await response.json()) as never);
  });

  it('answers what is not HTTP with JSON', async () => {
    const { port } = await start();
    const answer = await new Promise<string>((resolve) => {
      let text = '';
      connect(port, '127.0.0.1', function (this: { write(text: string): void }) {
        this.write('NOT HTTP AT ALL\r\n\r\n');
      })
        .on('data', (chunk: Buffer) => (text += chunk.toString()))
        .on('close', () => resolve(text));
    });
    expect(answer).toContain('HTTP/1.1 400');
    expect(answer).toContain('"invalid-request"');
  });

  it('refuses a request with several Host headers, whatever they say', async () => {
    const { port } = await start();
    const head = (host: string): string => `GET /things/item/1 HTTP/1.1\r\nHost: x\r\n${host}Connection: close\r\n\r\n`;
    expect(await talk(port, head(''))).toContain('HTTP/1.1 200');
    for (const before of ['', 'x:\r\n'.repeat(1_200)]) {
      const answer = await talk(port, head(`${before}hOST: x\r\n`));
      expect(answer).toContain('HTTP/1.1 400');
      expect(answer).toContain('"invalid-request"');
    }
  });

  it('refuses a request with several Authorization headers', async () => {
    const { port } = await start();
    const lines = 'authorization: Bearer a\r\nAuthorization: Bearer b\r\n';
    const answer = await talk(port, `GET /things/item/1 HTTP/1.1\r\nHost: x\r\n${lines}Connection: close\r\n\r\n`);
    expect(answer).toContain('HTTP/1.1 400');
  });

  it('asks for a body only when somebody reads it, and ends the connection where nobody did', async () => {
    const { server, port } = await start();
    const reads = Router();
    reads.post('/refused', (_req, res) => void res.status(401).json({}));
    reads.post('/read', (req, res) => void req.on('data', () => undefined).on('end', () => res.json({})));
    server.mount('/bodies', reads);
    const head = (path: string, more = ''): string =>
      `POST /bodies/${path} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\n${more}\r\n`;
    const refused = await talk(port, head('refused'));
    expect(refused).toMatch(/^HTTP\/1\.1 401 [^]*Connection: close\r\n/);
    const read = await talk(port, head('read', 'Connection: close\r\n'), 'body');
    expect(read).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
  });

  it('answers requests that are under way when it closes, and no new ones', async () => {
    const { server, url } = await start();
    let answer: () => void = () => undefined;
    const entered = new Promise<void>((resolve) => {
      const router = Router();
      router.get('/', (_req, res) => {
        answer = () => void res.json({ done: true });
        resolve();
      });
      server.mount('/slow', router);
    });
    const running = fetch(`${url}/slow`);
    await entered;
    const closed = server.close();
    await expect(fetch(`${url}/things/item/1`)).rejects.toThrow();
    answer();
    expect(await (await running).json()).toEqual({ done: true });
    await closed;
  });

  it('lets only the configured origins read its answers', async () => {
    const { url } = await start(['https://good.example']);
    const ask = async (headers: Record<string, string>): Promise<(string | null)[]> => {
      const answer = (await fetch(`${url}/x`, { headers })).headers;
      return [answer.get('access-control-allow-origin'), answer.get('vary')];
    };
    expect(await ask({ Origin: 'https://good.example' })).toEqual(['https://good.example', 'Origin']);
    expect(await ask({ Origin: 'https://evil.example' })).toEqual([null, 'Origin']);
    expect(await ask({})).toEqual([null, 'Origin']);
  });

  it('takes a request id that is harmless and makes one where there is none', async () => {
    const { url } = await start();
    const ask = async (id?: string): Promise<string | null> =>
      (await fetch(`${url}/x`, { headers: id === undefined ? {} : { 'X-Request-Id': id } })).headers.get(
        'x-request-id',
      );
    expect(await ask('trace-1.2:3_4')).toBe('trace-1.2:3_4');
    for (const id of [undefined, 'a b', '"><script>', 'x'.repeat(129), ''])
      expect(await ask(id)).toMatch(/^[0-9a-f-]{36}$/);
  });

  it.each([
    ['headers', 'GET / HTTP/1.1\r\nHost: x\r\nX-Slow: '],
    ['a body', 'POST /things HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc'],
    ['nothing', ''],
  ])('gives up on a client that sends %s and then nothing more, and says so', async (_what, sent) => {
    const connections = { ...DEFAULTS.connections, headersSeconds: 0.1, requestSeconds: 0.1 };
    const { server, port } = await start([], { connections });
    const reads = Router();
    // An answer that waits for the whole body.
    reads.post('/', (req, res) => void req.resume().on('end', () => void res.end()));
    server.mount('/things', reads);
    const answer = await talk(port, sent);
    expect(answer).toContain('HTTP/1.1 408 Request Timeout\r\n');
    expect(answer).toContain('X-Content-Type-Options: nosniff\r\n');
    expect(answer).toMatch(/X-Request-Id: [0-9a-f-]{36}\r\n/);
  });

  it('does not write into an answer that is on its way when what follows is no request', async () => {
    const { server, port } = await start();
    const router = Router();
    router.get('/', (_req, res) => void res.write('begun'));
    server.mount('/open', router);
    const answer = await talk(port, 'GET /open HTTP/1.1\r\nHost: x\r\n\r\n', 'NOT HTTP\r\n\r\n');
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  it('answers a request whose expectation it does not know', async () => {
    const { port } = await start();
    const head = 'GET /things/item/1 HTTP/1.1\r\nHost: x\r\nExpect: the-worst\r\nConnection: close\r\n\r\n';
    expect(await talk(port, head)).toContain('HTTP/1.1 200');
  });
});

/** Sends text, and more once the first answer comes; what came back until the server closed. */
function talk(port: number, first: string, next?: string): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => void socket.write(first))
      .on('data', (chunk: Buffer) => {
        text += chunk.toString();
        if (next !== undefined) socket.write(next);
        next = undefined;
      })
      .on('error', () => undefined)
      .on('close', () => resolve(text));
  });
}
