// An HTTP server on loopback that keeps what it was sent and answers as the test says.
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

export interface ReceivedRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export type Respond = (request: ReceivedRequest, res: ServerResponse) => void;

export class Receiver {
  readonly requests: ReceivedRequest[] = [];
  /** Connections that were opened to it. */
  connections = 0;
  respond: Respond = (_request, res) => void res.end();
  private readonly server: Server = createServer((req, res) => void this.take(req, res));
  private readonly waiting: { count: number; resolve: () => void }[] = [];

  async start(): Promise<this> {
    this.server.on('connection', () => void this.connections++);
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  url(path = '/', host = '127.0.0.1'): string {
    return `http://${host}:${this.port}${path}`;
  }

  /** Resolves once so many requests have come in, those from before included. */
  async received(count: number): Promise<readonly ReceivedRequest[]> {
    if (this.requests.length < count) await new Promise<void>((resolve) => this.waiting.push({ count, resolve }));
    return this.requests;
  }

  /** Forgets everything and answers 200 again. */
  reset(): void {
    this.requests.length = 0;
    this.respond = (_request, res) => void res.end();
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async take(req: IncomingMessage, res: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of req.setEncoding('utf8')) body += chunk as string;
    const request = { method: req.method ?? '', path: req.url ?? '', headers: req.headers, body };
    this.requests.push(request);
    this.respond(request, res);
    for (const { count, resolve } of this.waiting) if (this.requests.length >= count) resolve();
  }
}
