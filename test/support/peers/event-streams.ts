// The open event streams of a peer fixture, which a test makes speak, fall silent and break.
import type { ServerResponse } from 'node:http';

export class EventStreams {
  /** How often a task was subscribed to. */
  readonly opened = new Map<string, number>();
  private readonly live = new Map<string, Set<{ rpcId: unknown; res: ServerResponse }>>();
  private readonly waiting: { id: string; count: number; resolve: () => void }[] = [];

  /** Begins a stream with `first`. */
  open(id: string, rpcId: unknown, res: ServerResponse, first: unknown): void {
    const stream = { rpcId, res };
    const streams = this.live.get(id) ?? new Set();
    this.live.set(id, streams.add(stream));
    res.on('close', () => streams.delete(stream));
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write(`data: ${JSON.stringify(first)}\n\n`);
    const count = (this.opened.get(id) ?? 0) + 1;
    this.opened.set(id, count);
    for (const waiter of this.waiting) if (waiter.id === id && count >= waiter.count) waiter.resolve();
  }

  /** Resolves once a task was subscribed to so often. */
  async whenOpened(id: string, count = 1): Promise<void> {
    if ((this.opened.get(id) ?? 0) < count)
      await new Promise<void>((resolve) => this.waiting.push({ id, count, resolve }));
  }

  tell(id: string, body: (rpcId: unknown) => unknown): void {
    for (const { rpcId, res } of this.live.get(id) ?? []) res.write(`data: ${JSON.stringify(body(rpcId))}\n\n`);
  }

  /** Any bytes; `$id` stands for the id of the request. */
  write(id: string, text: string): void {
    for (const { rpcId, res } of this.live.get(id) ?? []) res.write(text.replaceAll('$id', JSON.stringify(rpcId)));
  }

  /** A comment, as servers send to keep a stream open. */
  comment(id: string): void {
    this.write(id, ': still there\n\n');
  }

  /** Breaks the connections. */
  cut(id: string): void {
    for (const { res } of this.live.get(id) ?? []) res.destroy();
  }

  /** Ends them properly, however early that is. */
  end(id: string): void {
    for (const { res } of this.live.get(id) ?? []) res.end();
  }
}
