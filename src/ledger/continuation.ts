// What comes next in a task as the event that says so. Pure.
import type { Continuation } from './ledger-port.js';
import { messageHash } from './message-hash.js';
import type { TaskEnvelope, TaskEvent } from './records.js';
import { isUndecided } from './task-reducer.js';

/** A turn that starts is the next one, except that consent to the whole task lets its first one begin. */
export function eventOfContinuation(envelope: TaskEnvelope, { requestId, step }: Continuation): TaskEvent {
  const { turn } = envelope;
  if ('decision' in step) {
    return { type: 'decision', turn: isUndecided(envelope) ? turn : turn + 1, requestId, ...step };
  }
  const next = step.start ? turn + 1 : turn;
  return { type: 'message', turn: next, hash: messageHash(step.message), requestId, ...step };
}
