// One gRPC call on its way through an operation.
import type { ServerUnaryCall, ServerWritableStream } from '@grpc/grpc-js';
import type { Caller } from '../../../../src/workspace/callers.js';
import { Call, type CallHeaders, type CallTarget } from '../call.js';
import type { Operation } from '../operation.js';

/** What grpc-js gives a handler; its request is the message's bytes. */
export type UnaryCall = ServerUnaryCall<Buffer, unknown>;
export type StreamCall = ServerWritableStream<Buffer, unknown>;

export class GrpcCall extends Call {
  constructor(
    private readonly grpc: Pick<UnaryCall | StreamCall, 'cancelled' | 'on' | 'off'>,
    readonly headers: CallHeaders,
    caller: Caller,
    target: CallTarget,
    operation: Operation,
  ) {
    super(caller, target, operation);
  }

  /** Also when the call's deadline has passed. */
  onGone(gone: () => void): () => void {
    this.grpc.on('cancelled', gone);
    if (this.grpc.cancelled) gone();
    return () => this.grpc.off('cancelled', gone);
  }
}
