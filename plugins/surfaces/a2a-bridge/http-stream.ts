// How a stream is written as server-sent events: its first task by the SDK's adapter, all that follows past it.
import { StreamResponse } from '@a2a-js/sdk';
import type { ErrorWriter } from '../../../src/http/door.js';
import type { SseSink } from '../../../src/http/sse-hub.js';
import type { Follower } from '../../../src/ledger/ledger-port.js';
import type { DirectAnswer } from './direct-answer.js';
import { eventJson } from './event-json.js';
import type { HttpCall } from './http-call.js';
import { acceptedEvent, type OutputModes } from './output-modes.js';
import { ends, type OpenStream } from './task-stream.js';
import { toSdkMessage, toSdkTask, type ReadBlob } from './to-sdk.js';
import type { LegacyShape } from './v0-3/legacy-shape.js';
import type { WireEvent } from '../../../src/a2a-v0-3/wire.js';

/**
 * The task that a stream starts with, if it does, for the adapter to write; all that follows is pumped past it. A stream
 * that can't be opened has no events, and the sink lets the call answer instead. Never throws.
 */
export async function* streamEvents(
  call: HttpCall,
  open: (call: HttpCall) => OpenStream | Promise<OpenStream>,
): AsyncGenerator<StreamResponse, void, undefined> {
  const sink = call.sink as SseSink;
  const { legacy } = call;
  let stream: OpenStream | undefined;
  let opening: StreamResponse | undefined;
  try {
    stream = await open(call);
    const { first, read, view } = stream;
    if (first) opening = { payload: { $case: 'task', value: toSdkTask(first.record.task, read, view) } };
  } catch (error) {
    stream?.follower?.close();
    call.fail(error);
    return;
  }
  const { first, follower, read, view, reply } = stream;
  const source = reply ?? follower;
  if (source) sink.attach(source);
  const wire: Wire = { frame: call.frame, legacy, read, accepted: view?.accepted, writeError: call.writeError };
  if (reply) sink.onward = writeReply.bind(undefined, sink, reply, wire);
  else if (follower) sink.onward = pump.bind(undefined, sink, follower, wire);
  call.opened();
  if (!first || !opening) return;
  if (legacy) {
    // The adapter would write it as 1.0.
    const text = frameOf(wire, StreamResponse.toJSON(opening) as WireEvent);
    sink.onward = writeFirst.bind(undefined, sink, text, first.seq, sink.onward);
    return;
  }
  sink.seq = first.seq;
  yield opening;
}

/** How a stream's events become bytes. */
interface Wire {
  frame: Frame;
  legacy: LegacyShape | undefined;
  read: ReadBlob;
  accepted: OutputModes;
  writeError: ErrorWriter;
}

const frameOf = ({ frame: [before, after], legacy }: Wire, event: object): string =>
  before + JSON.stringify(legacy ? legacy.event(event) : event) + after;

/** The one message, once it is there. */
async function writeReply(sink: SseSink, reply: DirectAnswer, wire: Wire): Promise<void> {
  try {
    const message = await reply.message();
    if (!message) return;
    const event = { payload: { $case: 'message' as const, value: toSdkMessage(message, wire.read) } };
    sink.send(frameOf(wire, StreamResponse.toJSON(event) as WireEvent), reply.seq);
  } catch (error) {
    if (error !== reply.failure) await breakOff(sink, error, wire);
  }
}

async function writeFirst(sink: SseSink, text: string, seq: number, then?: () => Promise<void>): Promise<void> {
  sink.send(text, seq);
  await then?.();
}

/** How one event is framed on the wire: what goes before and after its JSON. */
type Frame = readonly [before: string, after: string];

/**
 * Writes what a follower brings, each event with its position. Waits while the reader is behind; resolves when the task
 * has ended, the reader is gone, or updates were lost (the reader can resume). One suspended function is all that a
 * quiet stream costs here.
 */
async function pump(sink: SseSink, follower: Follower, wire: Wire): Promise<void> {
  try {
    for (let update = await follower.next(); update && !sink.closed; update = await follower.next()) {
      const event = update.event && acceptedEvent(update.event, wire.accepted);
      if (!event) continue;
      if (!sink.writable) await sink.drained();
      sink.send(frameOf(wire, eventJson(event, wire.read)), update.seq);
      if (wire.legacy && ends(update.state, wire.legacy)) return;
    }
  } catch (error) {
    // Where storing the task failed, that was logged there, and the open stream can only end.
    if (error !== follower.failure) await breakOff(sink, error, wire);
  } finally {
    follower.close();
  }
}

/** What nobody foresaw is logged, and the reader sees a connection that breaks off, not a stream that ended. */
async function breakOff(sink: SseSink, error: unknown, { writeError }: Wire): Promise<void> {
  if (sink.closed) return;
  // What was shown before counts.
  await sink.leave();
  writeError(error, sink.res.req, sink.res);
}
