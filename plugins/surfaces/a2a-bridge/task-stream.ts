// Streams: where one starts (a snapshot, or a position the client already has) and how it goes on until the task ends.
import { StreamResponse } from '@a2a-js/sdk';
import { isTerminal, shortState, type TaskState } from '../../../src/a2a-model.js';
import { AppError } from '../../../src/errors.js';
import type { SseSink } from '../../../src/http/sse-hub.js';
import type { Follower } from '../../../src/ledger/ledger-port.js';
import type { TaskRecord } from '../../../src/ledger/records.js';
import type { Core } from '../../../src/plugin.js';
import type { Call } from './call.js';
import { ownTask } from './own-task.js';
import { submit, type SendPorts } from './send-message.js';
import { eventJson } from './event-json.js';
import { acceptedEvent, type OutputModes } from './output-modes.js';
import { blobReader, toSdkTask, type ReadBlob, type TaskView } from './to-sdk.js';
import { endsLegacyStream, type LegacyShape } from './v0-3/legacy-shape.js';
import type { WireEvent } from '../../../src/a2a-v0-3/wire.js';

/** What a stream shows: first a task, if it starts with one, then whatever the follower brings. */
export interface OpenStream {
  first?: { record: TaskRecord; seq: number };
  /** How the caller wants to see it. */
  view?: Pick<TaskView, 'historyLength' | 'accepted'>;
  /** Absent when nothing can come any more. */
  follower?: Follower;
  read: ReadBlob;
}

/** Sends the message; the stream starts with the task as it was admitted. */
export async function openSend(ports: SendPorts, call: Call): Promise<OpenStream> {
  const { send } = call.take<'SendStreamingMessage'>();
  const { record, seq } = await submit(ports, call, send);
  const read = blobReader(ports.blobs, record.envelope.caller.scope);
  if (ends(record.task.status.state, call.legacy)) return { first: { record, seq }, read, view: send };
  const follower = ports.ledger.follow(record.task.id, seq);
  if (follower.replayed) return { first: { record, seq }, follower, read, view: send };
  const { snapshot } = follower;
  if (ends(snapshot.task.status.state, call.legacy)) follower.close();
  return { first: { record: snapshot, seq: snapshot.envelope.seq }, follower, read, view: send };
}

/** Subscribes to a task of the caller. Throws `task-not-found`, and `unsupported-operation` once it has ended. */
export function openSubscription(ports: Pick<Core, 'ledger' | 'blobs'>, call: Call): OpenStream {
  const { taskId } = call.take<'SubscribeToTask'>();
  const record = ownTask(ports.ledger, call, taskId);
  const read = blobReader(ports.blobs, record.envelope.caller.scope);
  const after = lastEventSeq(call.req.headers['last-event-id'], ports.ledger.boot);
  // What comes after a task's end (a webhook told, say) is nothing that a stream shows.
  const { transitions, seq } = record.envelope;
  const ended = isTerminal(record.task.status.state);
  const last = ended ? (transitions.at(-1)?.seq ?? seq) : seq;
  if (after !== undefined && (after < last || (after === last && !ended))) {
    const follower = ports.ledger.follow(taskId, after);
    if (follower.replayed) return { follower, read };
    follower.close();
  }
  const { state } = record.task.status;
  if (ended) {
    // 0.3 clients read how the task ended from its stream.
    if (call.legacy) return { first: { record, seq: record.envelope.seq }, read };
    throw new AppError('unsupported-operation', `The task is ${shortState(state)}; there is nothing to subscribe to.`);
  }
  const follower = ports.ledger.follow(taskId);
  return { first: { record: follower.snapshot, seq: follower.snapshot.envelope.seq }, follower, read };
}

/** The position in a Last-Event-ID, if this process gave it out. */
export function lastEventSeq(header: string | string[] | undefined, boot: string): number | undefined {
  if (typeof header !== 'string' || !header.startsWith(`${boot}.`)) return undefined;
  const seq = header.slice(boot.length + 1);
  return /^\d{1,15}$/.test(seq) ? Number(seq) : undefined;
}

/**
 * The task that a stream starts with, if it does, for the adapter to write; all that follows is pumped past it. A stream
 * that can't be opened has no events, and the sink lets the call answer instead. Never throws.
 */
export async function* streamEvents(
  call: Call,
  open: (call: Call) => OpenStream | Promise<OpenStream>,
): AsyncGenerator<StreamResponse, void, undefined> {
  const sink = call.sink as SseSink;
  let stream: OpenStream;
  try {
    stream = await open(call);
  } catch (error) {
    call.fail(error);
    return;
  }
  const { first, follower, read, view } = stream;
  const { legacy } = call;
  if (follower) sink.attach(follower);
  const wire: Wire = { frame: call.frame, legacy, read, accepted: view?.accepted };
  if (follower) sink.onward = pump.bind(undefined, sink, follower, wire);
  call.opened();
  if (!first) return;
  const event: StreamResponse = { payload: { $case: 'task', value: toSdkTask(first.record.task, read, view) } };
  if (legacy) {
    // The adapter would write it as 1.0.
    const text = frameOf(wire, StreamResponse.toJSON(event) as WireEvent);
    sink.onward = writeFirst.bind(undefined, sink, text, first.seq, sink.onward);
    return;
  }
  sink.seq = first.seq;
  yield event;
}

/** True when a stream at this state is over. */
const ends = (state: TaskState, legacy: LegacyShape | undefined): boolean =>
  legacy ? endsLegacyStream(state) : isTerminal(state);

/** How a stream's events become bytes. */
interface Wire {
  frame: Frame;
  legacy: LegacyShape | undefined;
  read: ReadBlob;
  accepted: OutputModes;
}

const frameOf = ({ frame: [before, after], legacy }: Wire, event: object): string =>
  before + JSON.stringify(legacy ? legacy.event(event) : event) + after;

async function writeFirst(sink: SseSink, text: string, seq: number, then?: () => Promise<void>): Promise<void> {
  sink.send(text, seq);
  await then?.();
}

/** How one event is framed on the wire: what goes before and after its JSON. */
export type Frame = readonly [before: string, after: string];

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
  } catch {
    // What failed was storing the task, and that was logged there. The open stream can only end.
  } finally {
    follower.close();
  }
}
