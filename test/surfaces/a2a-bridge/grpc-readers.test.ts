// Readers over gRPC that take nothing: no answer waits for them for ever, and others on their connection go on.
import { once } from 'node:events';
import {
  connect,
  constants,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type ServerHttp2Stream,
} from 'node:http2';
import { Server, ServerCredentials, type sendUnaryData, type ServerInterceptor } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { StreamCall } from '../../../plugins/surfaces/a2a-bridge/grpc/grpc-call.js';
import { GrpcDoor } from '../../../plugins/surfaces/a2a-bridge/grpc/grpc-door.js';
import { GrpcStreams } from '../../../plugins/surfaces/a2a-bridge/grpc/grpc-streams.js';
import { toAppError } from '../../../src/errors.js';

/** More than an HTTP/2 stream may hold for its reader. */
const HUGE = 'x'.repeat(2_000_000);
const { NGHTTP2_ENHANCE_YOUR_CALM, NGHTTP2_NO_ERROR } = constants;

/** In milliseconds: soon over, and longer than a busy machine keeps a reader waiting that does read. */
const IMPATIENT = 200;
const PATIENT = 60_000;
/** How long each of the next calls may take nothing, in their order. */
const patience: number[] = [];
const limits = {
  maxBytes: 1000,
  get stallMs(): number {
    return patience.shift() ?? IMPATIENT;
  },
};
/** The server's end of every call so far. */
const ends: (ServerHttp2Stream & { timeout?: number })[] = [];
const seen: ServerInterceptor = (method, call) => {
  ends.push((call as unknown as { stream: ServerHttp2Stream }).stream);
  return door.interceptor(method, call);
};
const admitted = { caller: { id: 'c' } as never, keyHash: '' };
const door = new GrpcDoor({ admit: () => Promise.resolve(admitted) }, limits, toAppError);
let places = 0;
const streams = new GrpcStreams({ take: () => (places++, { release: () => void places-- }) as never });
const server = new Server({ interceptors: [seen] });
let session: ClientHttp2Session;

/** The stream of a task that shows one huge event and then says no more; resolves with how it ended. */
function follow(grpc: StreamCall): Promise<boolean> {
  const place = streams.take(door.admittedOf(grpc.metadata));
  const artifact = { artifactId: 'a', parts: [{ text: HUGE }] };
  const event = { artifactUpdate: { taskId: 't', contextId: 'c', artifact, append: false, lastChunk: true } };
  const updates = [{ event, state: 'TASK_STATE_WORKING' }];
  let close = (): void => undefined;
  const closed = new Promise<undefined>((resolve) => (close = () => resolve(undefined)));
  const follower = { next: () => (updates.length > 0 ? Promise.resolve(updates.shift()) : closed), close };
  const call = { onGone: (gone: () => void) => (grpc.on('cancelled', gone), () => undefined), opened: () => undefined };
  return place
    .write(grpc, call as never, { follower: follower as never, read: () => undefined })
    .finally(place.release);
}
let followed: Promise<boolean>;

beforeAll(async () => {
  const bytes = (value: Buffer): Buffer => value;
  const method = {
    requestStream: false as const,
    requestSerialize: bytes,
    requestDeserialize: bytes,
    responseSerialize: (value: unknown) => (Buffer.isBuffer(value) ? value : Buffer.from(HUGE)),
    responseDeserialize: bytes,
  };
  server.addService(
    {
      answer: { ...method, path: '/test/Answer', responseStream: false },
      stream: { ...method, path: '/test/Stream', responseStream: true },
    },
    {
      answer: (_grpc: unknown, callback: sendUnaryData<Buffer>) => callback(null, Buffer.from(HUGE)),
      stream: (grpc: unknown) => void (followed = follow(grpc as StreamCall)),
    },
  );
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  session = connect(`http://127.0.0.1:${port}`);
});
afterAll(() => {
  session.destroy();
  server.forceShutdown();
});

/** A call that has sent an empty message, and whose answer nobody reads yet. */
function ask(path: string): ClientHttp2Stream {
  const stream = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  stream.on('error', () => undefined);
  stream.end(Buffer.alloc(5));
  return stream.pause();
}

const over = (stream: ClientHttp2Stream): Promise<void> => new Promise((resolve) => stream.once('close', resolve));

describe('a reader that takes nothing', () => {
  it('is cut off in the middle of an answer; another on its connection gets all of its own', async () => {
    patience.push(IMPATIENT, PATIENT);
    const stalled = ask('/test/Answer');
    const reading = ask('/test/Answer');
    let read = 0;
    reading.on('data', (chunk: Buffer) => (read += chunk.length)).resume();
    await Promise.all([over(stalled), over(reading)]);
    expect([stalled.rstCode, reading.rstCode, read]).toEqual([
      NGHTTP2_ENHANCE_YOUR_CALM,
      NGHTTP2_NO_ERROR,
      HUGE.length + 5,
    ]);
  });

  it('is cut off in the middle of a stream, which gives its place back', async () => {
    const stalled = ask('/test/Stream');
    await over(stalled);
    expect([stalled.rstCode, await followed, places]).toEqual([NGHTTP2_ENHANCE_YOUR_CALM, false, 0]);
  });

  it('is nobody who waits for the next event of a quiet stream', async () => {
    patience.push(PATIENT);
    const quiet = ask('/test/Stream');
    let read = 0;
    quiet.on('data', (chunk: Buffer) => (read += chunk.length)).resume();
    while (read < HUGE.length + 5) await once(quiet, 'data');
    const end = ends.at(-1);
    // Every call meanwhile gives the server the time to see that the event has left.
    while (end?.timeout !== 0) await over(ask('/test/Answer'));
    expect([quiet.closed, places]).toEqual([false, 1]);
    quiet.close();
    await followed;
    expect(places).toBe(0);
  });
});
