// Streams: where one starts, a snapshot or a position the client already has, and when it is over.
import { isTerminal, shortState, type TaskState } from '../../../src/a2a-model.js';
import { AppError } from '../../../src/errors.js';
import type { Follower } from '../../../src/ledger/ledger-port.js';
import type { TaskRecord } from '../../../src/ledger/records.js';
import type { Core } from '../../../src/plugin.js';
import type { Call } from './call.js';
import { DirectAnswer } from './direct-answer.js';
import { ownTask } from './own-task.js';
import { submit, type SendPorts } from './send-message.js';
import { blobReader, type ReadBlob, type TaskView } from './to-sdk.js';
import { endsLegacyStream, type LegacyShape } from './v0-3/legacy-shape.js';

/** What a stream shows: first a task, if it starts with one, then whatever the follower brings. */
export interface OpenStream {
  first?: { record: TaskRecord; seq: number };
  /** How the caller wants to see it. */
  view?: Pick<TaskView, 'historyLength' | 'accepted'>;
  /** In place of all else: the answer is one message. */
  reply?: DirectAnswer;
  /** Absent when nothing can come any more. */
  follower?: Follower;
  read: ReadBlob;
}

/** Sends the message; the stream starts with the task as it was admitted. */
export async function openSend(ports: SendPorts, call: Call): Promise<OpenStream> {
  const { send } = call.take<'SendStreamingMessage'>();
  const admitted = await submit(ports, call, send);
  const { record, seq } = admitted;
  const read = blobReader(ports.blobs, record.envelope.caller.scope);
  if (record.envelope.direct) return { reply: new DirectAnswer(ports.ledger, admitted, send.accepted), read };
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
  const after = lastEventSeq(call.headers['last-event-id'], ports.ledger.boot);
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

/** True when a stream at this state is over. */
export const ends = (state: TaskState, legacy: LegacyShape | undefined): boolean =>
  legacy ? endsLegacyStream(state) : isTerminal(state);
