// A thousand receivers of webhooks on addresses of their own (127.0.0.0/8, all of it loopback on Linux), some of which take
// a request and never answer.
import { createServer } from 'node:http';
import { once } from 'node:events';
import { createServer as createSocketServer, type AddressInfo, type Server, type Socket } from 'node:net';

export interface Answered {
  /** Requests that were answered. */
  count: number;
  /** From the first request to the last answer, milliseconds. */
  ms: number;
}

export class WebhookEndpoints {
  private readonly servers: Server[] = [];
  private readonly sockets = new Set<Socket>();
  private readonly http = createServer((req, res) => {
    this.begun ??= performance.now();
    req.resume().on('end', () => {
      if (this.hangs(req.socket.localAddress ?? '')) return;
      this.ids.add(String(req.headers['webhook-id']));
      this.ended = performance.now();
      res.end();
      if (this.ids.size >= this.wanted) this.reached();
    });
  });
  private readonly ids = new Set<string>();
  private begun: number | undefined;
  private ended = 0;
  private wanted = Infinity;
  private reached: () => void = () => undefined;

  constructor(
    private readonly count: number,
    private readonly hanging: number,
  ) {}

  async start(): Promise<this> {
    let port = 0;
    for (let n = 0; n < this.count; n++) {
      const server = createSocketServer((socket) => {
        this.sockets.add(socket);
        socket.once('close', () => this.sockets.delete(socket));
        this.http.emit('connection', socket);
      });
      server.listen(port, addressOf(n));
      await once(server, 'listening');
      ({ port } = server.address() as AddressInfo);
      this.servers.push(server);
    }
    return this;
  }

  url(n: number): string {
    const { port } = this.servers[0]?.address() as AddressInfo;
    return `http://${addressOf(n % this.count)}:${port}/`;
  }

  /** Resolves once so many different notifications were answered; rejects when that takes too long. */
  async answered(wanted: number, limitMs: number): Promise<Answered> {
    this.wanted = wanted;
    let late: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve, reject) => {
      this.reached = resolve;
      late = setTimeout(() => reject(new Error(`only ${this.ids.size} of ${wanted} came`)), limitMs);
      if (this.ids.size >= wanted) resolve();
    });
    clearTimeout(late);
    return { count: this.ids.size, ms: this.ended - (this.begun ?? 0) };
  }

  stop(): void {
    for (const server of this.servers) server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private hangs(address: string): boolean {
    for (let n = 0; n < this.hanging; n++) if (addressOf(n) === address) return true;
    return false;
  }
}

const addressOf = (n: number): string => `127.1.${Math.floor(n / 250)}.${(n % 250) + 1}`;
