// Reads a stream of server-sent events frame by frame, so that a test sees when each of them arrives, and counts the
// comments between them. A connection that breaks off is the end, as it is for a browser.
interface Event {
  task?: { id: string; contextId: string; status: { state: string } };
  statusUpdate?: { status: { state: string } };
}

export interface Frame {
  id: string;
  /** Of JSON-RPC the whole response. */
  event: Event & { result?: Event };
}

export class SseReader {
  readonly headers: Headers;
  comments = 0;
  private readonly frames: AsyncGenerator<Frame>;

  constructor(response: Response) {
    this.headers = response.headers;
    this.frames = this.read(response);
  }

  /** The frames up to the first that fits; fewer when the stream ends before. */
  async until(fits: (frame: Frame) => boolean): Promise<Frame[]> {
    const seen: Frame[] = [];
    for (let next = await this.frames.next(); !next.done; next = await this.frames.next()) {
      seen.push(next.value);
      if (fits(next.value)) break;
    }
    return seen;
  }

  rest(): Promise<Frame[]> {
    return this.until(() => false);
  }

  private async *read(response: Response): AsyncGenerator<Frame> {
    if (response.headers.get('content-type') !== 'text/event-stream') throw new Error(await response.text());
    const decoder = new TextDecoder();
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    let pending = '';
    for (;;) {
      const chunk = await reader.read().catch(() => undefined);
      if (!chunk || chunk.done) return;
      pending += decoder.decode(chunk.value, { stream: true });
      const blocks = pending.split('\n\n');
      pending = blocks.pop() ?? '';
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (data === undefined) this.comments++;
        else yield { id: /^id: (.*)$/m.exec(block)?.[1] ?? '', event: JSON.parse(data) as Frame['event'] };
      }
    }
  }
}
