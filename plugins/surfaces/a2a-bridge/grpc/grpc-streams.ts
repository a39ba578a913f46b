// Server-side streams over gRPC: one event in flight a stream, so that a slow reader slows its own stream only and holds
// no memory; a stream that ends before its task says so by its status.
import type { StreamResponse } from '@a2a-js/sdk';
import type { Clock } from '../../../../src/clock.js';
import { STALL_MS } from '../../../../src/http/slow-readers.js';
import type { TaskState } from '../../../../src/a2a-model.js';
import type { Call } from '../call.js';
import { acceptedEvent } from '../output-modes.js';
import { ends, type OpenStream } from '../task-stream.js';
import { toSdkEvent, toSdkTask } from '../to-sdk.js';
import type { StreamCall } from './grpc-call.js';

export class GrpcStreams {
  private readonly open = new Set<OpenStream>();
  private ending = false;

  constructor(private readonly clock: Clock) {}

  /** Ends what every stream reads from, so that the streams end by themselves; new ones end at once. */
  endAll(): void {
    this.ending = true;
    for (const { follower } of this.open) follower?.close();
  }

  /** Writes the stream; resolves with true when it has said all, false when it was cut before. Never throws. */
  async write(grpc: StreamCall, call: Call, stream: OpenStream): Promise<boolean> {
    const { first, follower, read, view } = stream;
    const stopListening = call.onGone(() => follower?.close());
    this.open.add(stream);
    if (this.ending) follower?.close();
    call.opened();
    try {
      let state: TaskState | undefined = first?.record.task.status.state;
      if (first) await this.send(grpc, { payload: { $case: 'task', value: toSdkTask(first.record.task, read, view) } });
      for (let update = await follower?.next(); update && !grpc.cancelled; update = await follower?.next()) {
        state = update.state;
        const event = update.event && acceptedEvent(update.event, view?.accepted);
        if (event) await this.send(grpc, toSdkEvent(event, read));
      }
      return state !== undefined && ends(state, call.legacy);
    } catch {
      // The reader was too slow; or storing the task failed, which was logged there.
      return false;
    } finally {
      follower?.close();
      stopListening();
      this.open.delete(stream);
    }
  }

  /** Resolves when the event has left, or its reader is gone. */
  private send(grpc: StreamCall, event: StreamResponse): Promise<void> {
    return new Promise((resolve, reject) => {
      const done = (end: () => void): void => {
        stopWaiting();
        grpc.off('cancelled', gone);
        end();
      };
      const gone = (): void => done(resolve);
      const stopWaiting = this.clock.after(STALL_MS, () => done(() => reject(new Error('the reader takes nothing'))));
      grpc.once('cancelled', gone);
      if (grpc.cancelled) gone();
      else grpc.write(event, () => done(resolve));
    });
  }
}
