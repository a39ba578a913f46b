import { afterEach, describe, expect, it } from '@jest/globals';
import express, { type Response } from 'express';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SseHub, type SseSink, type StreamOwner } from '../../src/http/sse-hub.js';
import { FakeClock } from '../support/fake-clock.js';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

interface Stream {
  sink: SseSink;
  res: Response;
  /** The client's side. */
  incoming: Promise<IncomingMessage>;
  clock: FakeClock;
  hub: SseHub;
}

/** A stream as an adapter opens it, and a client that reads it. */
async function openStream(owner?: StreamOwner): Promise<Stream> {
  const clock = new FakeClock();
  const hub = new SseHub(clock, 8000, 'boot');
  const app = express();
  const opened = new Promise<{ sink: SseSink; res: Response }>((resolve) => {
    app.get('/', (_req, res) => resolve({ sink: hub.wrap(res, owner), res }));
  });
  const server = createServer(app);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const incoming = new Promise<IncomingMessage>((resolve) => {
    // A connection that the server cuts is what some tests are about.
    const ignore = (): void => undefined;
    get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' }, (response) =>
      resolve(response.on('error', ignore)),
    ).on('error', ignore);
  });
  const { sink, res } = await opened;
  res.setHeader('Content-Type', 'text/event-stream');
  res.flushHeaders();
  return { sink, res, incoming, clock, hub };
}

const nextChunk = (incoming: IncomingMessage): Promise<string> =>
  new Promise((resolve) => incoming.once('data', (chunk: Buffer) => resolve(chunk.toString())));

const write = ({ sink, res }: Stream, seq: number, data: string): void => {
  sink.seq = seq;
  res.write(`data: ${data}\n\n`);
};

describe('a stream', () => {
  it('gives each frame its position and sends the frames of one tick together', async () => {
    const stream = await openStream();
    write(stream, 4, '{"a":1}');
    write(stream, 5, '{"a":2}');
    const incoming = await stream.incoming;
    expect(incoming.headers['cache-control']).toBe('no-cache, no-transform');
    expect(await nextChunk(incoming)).toBe('id: boot.4\ndata: {"a":1}\n\nid: boot.5\ndata: {"a":2}\n\n');
  });

  it('escapes characters that readers take for line ends', async () => {
    const stream = await openStream();
    write(stream, 1, '"a\u2028b\u0085c"');
    expect(await nextChunk(await stream.incoming)).toContain('"a\\u2028b\\u0085c"');
  });

  it('is kept alive by a comment on every beat, and not after its end', async () => {
    const stream = await openStream();
    write(stream, 1, '1');
    const incoming = await stream.incoming;
    await nextChunk(incoming);
    stream.clock.advance(8000);
    expect(await nextChunk(incoming)).toBe(':\n\n');
    stream.res.end();
    expect(stream.hub.open).toBe(0);
    expect(stream.clock.pending).toBe(0);
  });

  it('sends what is pending before it ends', async () => {
    const stream = await openStream();
    write(stream, 1, 'last');
    stream.res.end();
    expect(await nextChunk(await stream.incoming)).toContain('data: last');
  });

  it('lets its owner answer in another way before the first byte', async () => {
    const owner = {
      res: undefined as Response | undefined,
      answerInstead(): boolean {
        return true;
      },
    };
    const stream = await openStream(owner);
    stream.res.statusCode = 418;
    stream.res.end('instead');
    const incoming = await stream.incoming;
    expect([incoming.statusCode, await nextChunk(incoming)]).toEqual([418, 'instead']);
    expect(stream.hub.open).toBe(0);
  });

  it('closes its source when the reader goes away', async () => {
    const stream = await openStream();
    const closed = new Promise<void>((resolve) => stream.sink.attach({ close: resolve }));
    write(stream, 1, '1');
    (await stream.incoming).destroy();
    await closed;
    expect(stream.sink.closed).toBe(true);
  });

  it('says when the reader is behind, waits for it, and goes on', async () => {
    const stream = await openStream();
    write(stream, 1, 'x'.repeat(20_000_000));
    await new Promise((resolve) => setImmediate(resolve));
    expect(stream.sink.writable).toBe(false);
    const drained = stream.sink.drained();
    (await stream.incoming).resume();
    await drained;
    expect(stream.sink.writable).toBe(true);
  });

  it('cuts off a reader that takes nothing for half a minute', async () => {
    const stream = await openStream();
    const closed = new Promise<void>((resolve) => stream.sink.attach({ close: resolve }));
    write(stream, 1, 'x'.repeat(20_000_000));
    await new Promise((resolve) => setImmediate(resolve));
    stream.clock.advance(40_000);
    await closed;
  });

  it('has its source closed when the server ends all streams', async () => {
    const stream = await openStream();
    let closed = 0;
    stream.sink.attach({ close: () => void closed++ });
    stream.hub.endAll();
    expect(closed).toBe(1);
  });
});
