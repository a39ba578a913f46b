// A remote agent on loopback that speaks gRPC by hand, in one version: every call is answered as the test says, down to
// frames and connections.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { StreamResponse, Task } from '@a2a-js/sdk';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { LEGACY_METHODS } from '../../../src/a2a-v0-3/legacy-service.js';
import type { Json } from './misbehaving-peer.js';

/** What a call gets. */
export type GrpcAnswer =
  /** The connection breaks without an answer. */
  | 'drop'
  /** No byte ever comes. */
  | 'silence'
  /** An HTTP answer of somebody who knows nothing of gRPC. */
  | { http: number; body: string }
  /** A status without a message. */
  | { code: number; details?: string }
  /** The bytes of messages, then the status OK, or for `open` nothing more. */
  | { messages: Buffer[]; open?: boolean };

const SERVICES = { '1.0': '/lf.a2a.v1.A2AService/', '0.3': '/a2a.v1.A2AService/' } as const;

export class RawGrpcPeer {
  /** What each method of its version does; one that is not here does not exist. */
  readonly methods: Record<string, GrpcAnswer> = {};
  readonly calls: { path: string; headers: IncomingHttpHeaders }[] = [];
  readonly streams: ServerHttp2Stream[] = [];
  private readonly sessions = new Set<ServerHttp2Session>();
  private readonly server = createServer();

  constructor(private readonly version: '1.0' | '0.3') {
    this.server.on('session', (session) => {
      this.sessions.add(session);
      session.on('error', () => undefined);
      session.on('close', () => this.sessions.delete(session));
    });
    this.server.on('stream', (stream, headers) => this.take(stream, headers));
  }

  get address(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async start(): Promise<this> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  stop(): void {
    this.cut();
    this.server.close();
  }

  /** Breaks every connection. */
  cut(): void {
    for (const session of this.sessions) session.destroy();
  }

  /** Resolves once so many calls have come. */
  async called(count: number): Promise<void> {
    while (this.calls.length < count) await once(this.server, 'stream');
  }

  task(json: Json): Buffer {
    if (this.version === '0.3') return LEGACY_METHODS.GetTask.response.write(json);
    return A2AService.getTask.responseSerialize(Task.fromJSON(json));
  }

  event(json: Json): Buffer {
    if (this.version === '0.3') return LEGACY_METHODS.SubscribeToTask.response.write(json);
    return A2AService.subscribeToTask.responseSerialize(StreamResponse.fromJSON(json));
  }

  private take(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    const path = String(headers[':path']);
    this.calls.push({ path, headers });
    this.streams.push(stream);
    stream.on('error', () => undefined);
    const service = SERVICES[this.version];
    const known = path.startsWith(service) ? this.methods[path.slice(service.length)] : undefined;
    const answer = known ?? { code: 12, details: `unknown method ${path}` };
    if (answer === 'drop') return void stream.session?.destroy();
    if (answer === 'silence') return;
    if ('http' in answer) {
      stream.respond({ ':status': answer.http, 'content-type': 'text/html' });
      return void stream.end(answer.body);
    }
    const { code, details = '' } = 'code' in answer ? answer : { code: 0 };
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () =>
      stream.sendTrailers({ 'grpc-status': String(code), 'grpc-message': encodeURI(details) }),
    );
    for (const message of 'messages' in answer ? answer.messages : []) stream.write(frame(message));
    if (!('open' in answer && answer.open)) stream.end();
  }
}

/** Not compressed, with its length before it. */
export function frame(message: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}
