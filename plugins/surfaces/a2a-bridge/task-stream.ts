// Streams: where one starts (a snapshot, or a position the client already has) and how it goes on until the task ends.
import type { StreamResponse } from '@a2a-js/sdk';
import { isTerminal, shortState } from '../../../src/a2a-model.js';
import { AppError } from '../../../src/errors.js';
import type { SseSink } from '../../../src/http/sse-hub.js';
import type { Follower } from '../../../src/ledger/ledger-port.js';
import type { TaskRecord } from '../../../src/ledger/records.js';
import type { Core } from '../../../src/plugin.js';
import type { Call } from './call.js';
import { ownTask } from './own-task.js';
import { submit, type SendPorts } from './send-message.js';
import { eventJson } from './event-json.js';
import { blobReader, toSdkTask, type ReadBlob } from './to-sdk.js';

/** What a stream shows: first a task, if it starts with one, then whatever the follower brings. */
export interface OpenStream {
  first?: { record: TaskRecord; seq: number; historyLength?: number };
  /** Absent when the task has ended already. */
  follower?: Follower;
  read: ReadBlob;
}

/** Sends the message; the stream starts with the task as it was admitted. */
export async function openSend(ports: SendPorts, call: Call): Promise<OpenStream> {
  const { send } = call.take<'SendStreamingMessage'>();
  const { record, seq } = await submit(ports, call, send);
  const read = blobReader(ports.blobs, record.envelope.caller.scope);
  const { historyLength } = send;
  if (isTerminal(record.task.status.state)) return { first: { record, seq, historyLength }, read };
  const follower = ports.ledger.follow(record.task.id, seq);
  if (follower.replayed) return { first: { record, seq, historyLength }, follower, read };
  const { snapshot } = follower;
  return { first: { record: snapshot, seq: snapshot.envelope.seq, historyLength }, follower, read };
}

/** Subscribes to a task of the caller. Throws `task-not-found`, and `unsupported-operation` once it has ended. */
export function openSubscription(ports: Pick<Core, 'ledger' | 'blobs'>, call: Call): OpenStream {
  const { taskId } = call.take<'SubscribeToTask'>();
  const record = ownTask(ports.ledger, call, taskId);
  const read = blobReader(ports.blobs, record.envelope.caller.scope);
  const after = lastEventSeq(call.req.headers['last-event-id'], ports.ledger.boot);
  // What comes after a task's end (a webhook told, say) is nothing that a stream shows.
  const { transitions, seq } = record.envelope;
  const last = isTerminal(record.task.status.state) ? (transitions.at(-1)?.seq ?? seq) : seq;
  if (after !== undefined && after < last) {
    const follower = ports.ledger.follow(taskId, after);
    if (follower.replayed) return { follower, read };
    follower.close();
  }
  const { state } = record.task.status;
  if (isTerminal(state)) {
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
  const { first, follower, read } = stream;
  sink.source = follower;
  if (follower) sink.onward = pump.bind(undefined, sink, follower, read, call.frame);
  call.opened();
  if (!first) return;
  sink.seq = first.seq;
  yield { payload: { $case: 'task', value: toSdkTask(first.record.task, read, first) } };
}

/** How one event is framed on the wire: what goes before and after its JSON. */
export type Frame = readonly [before: string, after: string];

/**
 * Writes what a follower brings, each event with its position. Waits while the reader is behind; resolves when the task
 * has ended, the reader is gone, or updates were lost (the reader can resume). One suspended function is all that a
 * quiet stream costs here.
 */
async function pump(sink: SseSink, follower: Follower, read: ReadBlob, [before, after]: Frame): Promise<void> {
  try {
    for (let update = await follower.next(); update && !sink.closed; update = await follower.next()) {
      if (!update.event) continue;
      if (!sink.writable) await sink.drained();
      sink.send(before + eventJson(update.event, read) + after, update.seq);
    }
  } catch {
    // What failed was storing the task, and that was logged there. The open stream can only end.
  } finally {
    follower.close();
  }
}
