// Readers that stop reading, over real sockets: no answer waits for them for ever, and nobody else is cut off.
import { afterEach, describe, expect, it } from '@jest/globals';
import { Router, type Response } from 'express';
import { connect, type Socket } from 'node:net';
import { systemClock } from '../../src/clock.js';
import { DEFAULTS } from '../../src/config.js';
import { Metrics } from '../../src/http/metrics.js';
import { createHttpServer, type HttpServer } from '../../src/http/server.js';
import { SseHub } from '../../src/http/sse-hub.js';
import { silentLogger } from '../../src/log.js';

/** More than the kernel holds for a connection. */
const HUGE = 'x'.repeat(32_000_000);
const STALL_MS = 60;

const servers: HttpServer[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) await server.close(0);
});

async function start(routes: Record<string, (res: Response) => void>, stallMs = STALL_MS): Promise<number> {
  const deps = { config: DEFAULTS, log: silentLogger(), clock: systemClock, metrics: new Metrics() };
  const server = createHttpServer({ ...deps, stallMs });
  servers.push(server);
  const router = Router();
  for (const [path, run] of Object.entries(routes)) router.get(path, (_req, res) => run(res));
  server.mount('/', router);
  return (await server.listen('127.0.0.1', 0)).port;
}

/** A client that has sent its requests and reads nothing yet. */
function ask(port: number, ...paths: string[]): Socket {
  const socket = connect(port, '127.0.0.1').pause();
  socket.on('error', () => undefined);
  sockets.push(socket);
  socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''));
  return socket;
}

/** How many bytes the client gets once the server has closed the response and the client reads again. */
async function bytesAfter(over: Promise<void>, socket: Socket): Promise<number> {
  await over;
  let size = 0;
  socket.on('data', (chunk: Buffer) => (size += chunk.length));
  await new Promise((resolve) => socket.on('close', resolve).resume());
  return size;
}

describe('a reader that takes nothing', () => {
  const hub = new SseHub(systemClock, 60_000, 'boot');
  it.each([
    ['a plain answer', (res: Response) => void res.json(HUGE)],
    [
      'a stream that has ended',
      (res: Response) => {
        hub.wrap(res);
        res.flushHeaders();
        res.write(`data: ${HUGE}\n\n`);
        res.end();
      },
    ],
  ])('of %s is cut off', async (_what, answer) => {
    let onClose: () => void = () => undefined;
    const over = new Promise<void>((resolve) => (onClose = resolve));
    const port = await start({
      '/': (res) => {
        res.on('close', onClose);
        answer(res);
      },
    });
    expect(await bytesAfter(over, ask(port, '/'))).toBeLessThan(HUGE.length);
    expect(hub.open).toBe(0);
  });
});

describe('a reader that comes back', () => {
  it('gets all of its answer, and the quiet stream after it on the same connection has no time limit', async () => {
    let stream: (res: Response) => void = () => undefined;
    const opened = new Promise<Response>((resolve) => (stream = resolve));
    const routes = {
      '/huge': (res: Response) => void res.json(HUGE),
      '/quiet': (res: Response) => {
        res.flushHeaders();
        stream(res);
      },
    };
    // Longer than a busy machine keeps this very reader waiting; what counts is that no limit is left on the connection.
    const port = await start(routes, 60_000);
    const socket = ask(port, '/huge', '/quiet');
    let size = 0;
    const whole = new Promise<void>((resolve) =>
      socket.on('data', (chunk: Buffer) => (size += chunk.length) > HUGE.length && resolve()),
    );
    socket.resume();
    await whole;
    const { socket: kept } = await opened;
    expect(kept?.timeout ?? 0).toBe(0);
  });
});
