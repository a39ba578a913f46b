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
import { blobReader, toSdkEvent, toSdkTask, type ReadBlob } from './to-sdk.js';

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
  if (after !== undefined && after < record.envelope.seq) {
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
 * The events of a stream, each announced to the sink with its position. Waits while the reader is behind, ends when the
 * task has ended, the reader is gone, or updates were lost (the reader can resume). Never throws: a stream that can't be
 * opened ends without an event, and the sink lets the call answer instead.
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
  const { follower, read } = stream;
  sink.source = follower;
  try {
    if (stream.first) {
      const { record, seq, historyLength } = stream.first;
      // A quiet stream may stay for hours: it must not hold on to what it has already shown.
      stream.first = undefined;
      sink.seq = seq;
      yield { payload: { $case: 'task', value: toSdkTask(record.task, read, { historyLength }) } };
    }
    for (let update = await follower?.next(); update; update = await follower?.next()) {
      if (!update.event) continue;
      if (!sink.writable) await sink.drained();
      if (sink.closed) return;
      sink.seq = update.seq;
      yield toSdkEvent(update.event, read);
    }
  } catch {
    // What failed was storing the task, and that was logged there. The open stream can only end.
  } finally {
    follower?.close();
  }
}
