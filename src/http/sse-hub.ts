// Server-sent events for adapters that only know `flushHeaders`, `write` and `end`: ids, one socket write per tick, a
// heartbeat for all streams from one timer, and bounded readers: one that falls behind is cut off and can resume with its
// last event id (after the stream's end slow-readers.ts sees to that). A quiet stream costs one small object, no timer.
import { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Response } from 'express';
import type { Clock } from '../clock.js';
import type { StreamGroup } from './open-streams.js';
import { STALL_MS } from './slow-readers.js';

const SINK = Symbol('sse sink');
type SinkResponse = Response & { [SINK]: SseSink };

/** Whoever opened a stream. */
export interface StreamOwner {
  /** Asked once, before the first byte: true when it has answered the request itself. */
  answerInstead(): boolean;
}

/** All open streams of one server. */
export class SseHub {
  private readonly sinks = new Set<SseSink>();
  private readonly dirty: SseSink[] = [];
  private stopHeartbeat: (() => void) | undefined;
  private ending = false;

  constructor(
    readonly clock: Clock,
    private readonly heartbeatMs: number,
    /** First half of event ids. */
    readonly boot: string,
  ) {}

  /**
   * Takes over a response that an adapter is about to use for server-sent events. Nothing changes until the adapter
   * flushes the headers; then the owner may answer in another way, and the stream stays unopened.
   */
  wrap(res: Response, owner?: StreamOwner): SseSink {
    return new SseSink(this, res, owner);
  }

  get open(): number {
    return this.sinks.size;
  }

  /** Ends what every stream reads from, so that the streams end by themselves; new ones end at once. */
  endAll(): void {
    this.ending = true;
    for (const sink of this.sinks) sink.finish();
  }

  /** @internal */
  add(sink: SseSink): void {
    this.sinks.add(sink);
    if (this.ending) sink.finish();
    this.stopHeartbeat ??= this.clock.after(this.heartbeatMs, () => this.beat());
  }

  /** @internal */
  remove(sink: SseSink): void {
    this.sinks.delete(sink);
    if (this.sinks.size > 0) return;
    this.stopHeartbeat?.();
    this.stopHeartbeat = undefined;
  }

  /** @internal Flushes the sink once this tick is over. */
  flushSoon(sink: SseSink): void {
    if (this.dirty.push(sink) === 1) setImmediate(() => this.flushDirty());
  }

  private flushDirty(): void {
    for (const sink of this.dirty.splice(0)) sink.flush();
  }

  private beat(): void {
    this.stopHeartbeat = this.clock.after(this.heartbeatMs, () => this.beat());
    const stalled = this.clock.now() - STALL_MS;
    for (const sink of this.sinks) sink.beat(stalled);
  }
}

/** One stream's outgoing side. */
export class SseSink {
  /** Position of the event that the adapter writes next; set it before yielding that event. */
  seq: number | undefined;
  /** Where the stream's place is given back when it is over. */
  group: StreamGroup | undefined;
  /** What goes on writing after the adapter has ended its part; the response ends when it resolves. Never rejects. */
  onward: (() => Promise<void>) | undefined;
  closed = false;
  private source: { close(): void } | undefined;
  private stopped = false;
  private pending = '';
  /** When the socket stopped taking more, or 0 while it takes. */
  private blockedSince = 0;
  private wake: (() => void) | undefined;

  constructor(
    readonly hub: SseHub,
    readonly res: Response,
    public owner: StreamOwner | undefined,
  ) {
    (res as SinkResponse)[SINK] = this;
    res.flushHeaders = sinkOpen;
    res.once('close', sinkClosed);
  }

  /** What the stream reads from; closed when the reader goes away or the stream has to end. */
  attach(source: { close(): void }): void {
    this.source = source;
    if (this.stopped || this.closed) source.close();
  }

  /** Ends what the stream reads from, and with it the stream, once its reader has what is on its way. */
  finish(): void {
    this.stopped = true;
    this.source?.close();
  }

  /** Like `finish`, but a reader that is behind is cut off. */
  stop(): void {
    this.finish();
    if (!this.writable) this.res.destroy();
  }

  /** False while the reader is behind: wait for `drained` before producing more. */
  get writable(): boolean {
    return this.blockedSince === 0;
  }

  /** @internal True while nothing waits to be sent. */
  get empty(): boolean {
    return this.pending === '';
  }

  /** Resolves when the reader has caught up or is gone. */
  drained(): Promise<void> {
    return this.writable || this.closed ? Promise.resolve() : new Promise((resolve) => (this.wake = resolve));
  }

  /** Adds a frame at a position of the stream; it leaves when this tick is over. */
  send(frame: string, seq: number): void {
    this.seq = seq;
    this.queue(frame);
  }

  /** @internal */
  queue(frame: string): void {
    if (this.closed) return;
    if (this.pending === '') this.hub.flushSoon(this);
    this.pending +=
      this.seq === undefined ? escapeLines(frame) : `id: ${this.hub.boot}.${this.seq}\n${escapeLines(frame)}`;
    this.seq = undefined;
  }

  /** @internal */
  flush(): void {
    if (this.closed || this.pending === '') return;
    const frames = this.pending;
    this.pending = '';
    if (!rawWrite.call(this.res, frames, 'utf8') && this.writable) {
      this.blockedSince = this.hub.clock.now();
      this.res.once('drain', sinkDrained);
    }
  }

  /** Sends what is on its way, and the headers in any case. Resolves when it has left: then the response may be cut. */
  async leave(): Promise<void> {
    this.flush();
    ServerResponse.prototype.flushHeaders.call(this.res);
    await nextTurn();
  }

  /** @internal */
  beat(stalledBefore: number): void {
    if (this.writable) rawWrite.call(this.res, ':\n\n', 'utf8');
    else if (this.blockedSince <= stalledBefore) this.res.destroy();
  }

  /** @internal */
  unblock(): void {
    this.blockedSince = 0;
    this.wake?.();
    this.wake = undefined;
  }

  /** @internal Lets go of everything; safe to call twice. */
  release(): void {
    if (this.closed) return;
    this.closed = true;
    this.hub.remove(this);
    this.source?.close();
    this.source = undefined;
    this.onward = undefined;
    this.group?.release(this);
    this.group = undefined;
    this.unblock();
  }

  /** @internal What has to go out before the end. */
  takePending(): string {
    const frames = this.pending;
    this.pending = '';
    return frames;
  }
}

// The response's methods while a sink has it. Shared functions that find their sink through the response, so that no
// stream carries closures of its own.

const rawWrite = ServerResponse.prototype.write as (this: Response, chunk: string, encoding: string) => boolean;
const rawEnd = ServerResponse.prototype.end as (this: Response, chunk?: string, encoding?: string) => Response;

function sinkOpen(this: Response): void {
  const sink = (this as SinkResponse)[SINK];
  if (sink.owner?.answerInstead()) {
    sink.release();
    return;
  }
  sink.owner = undefined;
  this.setHeader('Cache-Control', 'no-cache, no-transform');
  this.write = sinkWrite as Response['write'];
  this.end = sinkEnd as Response['end'];
  if (!sink.closed) sink.hub.add(sink);
  // The headers leave together with the first frames.
}

function sinkWrite(this: Response, frame: string): boolean {
  const sink = (this as SinkResponse)[SINK];
  sink.queue(frame);
  return sink.writable;
}

function sinkEnd(this: Response): Response {
  const sink = (this as SinkResponse)[SINK];
  const { onward } = sink;
  if (onward && !sink.closed) {
    sink.onward = undefined;
    // Without a first frame the reader must hear now that the stream is open.
    if (sink.empty) ServerResponse.prototype.flushHeaders.call(this);
    void onward().then(() => this.end());
    return this;
  }
  const rest = sink.takePending();
  const gone = sink.closed;
  sink.release();
  if (gone) return this;
  return rest === '' ? rawEnd.call(this) : rawEnd.call(this, rest, 'utf8');
}

function sinkDrained(this: Response): void {
  (this as SinkResponse)[SINK].unblock();
}

function sinkClosed(this: Response): void {
  (this as SinkResponse)[SINK].release();
}

// Characters that some readers take for line ends although JSON leaves them as they are.
const LINE_ENDS = /[\u0085\u2028\u2029]/;
const ESCAPES: Record<string, string> = { '\u0085': '\\u0085', '\u2028': '\\u2028', '\u2029': '\\u2029' };

const escapeLines = (frame: string): string =>
  LINE_ENDS.test(frame) ? frame.replace(/[\u0085\u2028\u2029]/g, (char) => ESCAPES[char] as string) : frame;
