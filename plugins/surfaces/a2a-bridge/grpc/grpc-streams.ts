// Server-side streams over gRPC: one event in flight a stream, so that a slow reader slows its own stream only and holds
// no memory; a stream that ends before its task says so by its status.
import { StreamResponse } from '@a2a-js/sdk';
import type { Admitted } from '../../../../src/http/door.js';
import type { Endable, OpenStreams } from '../../../../src/http/open-streams.js';
import type { TaskState } from '../../../../src/a2a-model.js';
import type { WireEvent } from '../../../../src/a2a-v0-3/wire.js';
import type { Call } from '../call.js';
import { eventJson } from '../event-json.js';
import { acceptedEvent } from '../output-modes.js';
import { ends, type OpenStream } from '../task-stream.js';
import { toSdkEvent, toSdkMessage, toSdkTask } from '../to-sdk.js';
import type { StreamCall } from './grpc-call.js';

/** All open ones of one listener. */
export class GrpcStreams {
  private readonly open = new Set<GrpcStream>();
  private ending = false;

  constructor(private readonly places: Pick<OpenStreams, 'take'>) {}

  /** A place for a stream, to be released. Throws as `OpenStreams.take` does. */
  take({ caller, keyHash }: Admitted): GrpcStream {
    const stream = new GrpcStream(() => {
      group.release(stream);
      this.open.delete(stream);
    });
    const group = this.places.take(caller.id, keyHash, stream);
    this.open.add(stream);
    if (this.ending) stream.stop();
    return stream;
  }

  /** Ends what every stream reads from, so that the streams end by themselves; new ones end at once. */
  endAll(): void {
    this.ending = true;
    for (const stream of this.open) stream.stop();
  }
}

export class GrpcStream implements Endable {
  private source: { close(): void } | undefined;
  private stopped = false;

  constructor(
    /** Gives the place back. */
    readonly release: () => void,
  ) {}

  stop(): void {
    this.stopped = true;
    this.source?.close();
  }

  /** Writes the events; resolves with true when all is said, false when it was cut before. Throws what nobody foresaw. */
  async write(grpc: StreamCall, call: Call, { first, follower, reply, read, view }: OpenStream): Promise<boolean> {
    const source = reply ?? follower;
    this.source = source;
    if (this.stopped) source?.close();
    const stopListening = call.onGone(() => source?.close());
    const { legacy } = call;
    const tell = (payload: StreamResponse['payload']): Promise<void> => {
      const event: StreamResponse = { payload };
      return this.send(grpc, legacy ? legacy.event(StreamResponse.toJSON(event) as WireEvent) : event);
    };
    call.opened();
    try {
      if (reply) {
        const message = await reply.message();
        if (message) await tell({ $case: 'message', value: toSdkMessage(message, read) });
        return message !== undefined;
      }
      let state: TaskState | undefined = first?.record.task.status.state;
      if (first) await tell({ $case: 'task', value: toSdkTask(first.record.task, read, view) });
      for (let update = await follower?.next(); update && !grpc.cancelled; update = await follower?.next()) {
        state = update.state;
        const event = update.event && acceptedEvent(update.event, view?.accepted);
        if (event) await this.send(grpc, legacy ? legacy.event(eventJson(event, read)) : toSdkEvent(event, read));
        if (legacy && ends(state, legacy)) break;
      }
      return state !== undefined && ends(state, legacy);
    } catch (error) {
      // Where storing the task failed, that was logged there; what nobody foresaw is told by whoever asked.
      if (error !== source?.failure) throw error;
      return false;
    } finally {
      source?.close();
      stopListening();
    }
  }

  /** Resolves when the event has left, or its reader is gone. */
  private send(grpc: StreamCall, event: object): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        grpc.off('cancelled', done);
        resolve();
      };
      grpc.once('cancelled', done);
      if (grpc.cancelled) done();
      else grpc.write(event, done);
    });
  }
}
