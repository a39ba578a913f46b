// Who calls over gRPC: the key in the metadata is checked before a byte of the message is read.
import {
  ResponderBuilder,
  ServerInterceptingCall,
  ServerListenerBuilder,
  type Metadata,
  type ServerInterceptor,
} from '@grpc/grpc-js';
import type { AppError } from '../../../../src/errors.js';
import type { Doors } from '../../../../src/http/door.js';
import type { Caller } from '../../../../src/workspace/callers.js';
import { grpcStatus } from './grpc-status.js';
import { metadataHeaders } from './metadata-headers.js';

export class GrpcDoor {
  /** By the metadata that travels on to the handler. */
  private readonly callers = new WeakMap<Metadata, Caller>();

  constructor(
    private readonly doors: Pick<Doors, 'admit'>,
    private readonly told: (error: unknown, method: string) => AppError,
  ) {}

  /** Whose call it is: known for every call that reaches a handler. */
  callerOf(metadata: Metadata): Caller {
    const caller = this.callers.get(metadata);
    if (!caller) throw new Error('a call came past the door');
    return caller;
  }

  readonly interceptor: ServerInterceptor = (method, call) => {
    const listener = new ServerListenerBuilder()
      .withOnReceiveMetadata((metadata, proceed) => {
        const address = call.getConnectionInfo().remoteAddress;
        void this.doors.admit({ headers: metadataHeaders(metadata), address }).then(
          (caller) => {
            this.callers.set(metadata, caller);
            proceed(metadata);
          },
          (error: unknown) => call.sendStatus(grpcStatus(this.told(error, method.path))),
        );
      })
      .build();
    return new ServerInterceptingCall(call, new ResponderBuilder().withStart((next) => next(listener)).build());
  };
}
