// Who calls over gRPC: the key in the metadata is checked before a byte of the message is read.
import {
  ResponderBuilder,
  ServerInterceptingCall,
  ServerListenerBuilder,
  type Metadata,
  type ServerInterceptor,
} from '@grpc/grpc-js';
import type { AppError } from '../../../../src/errors.js';
import type { Admitted, Doors } from '../../../../src/http/door.js';
import { boundCall, type CallLimits } from './bounded-call.js';
import { grpcStatus } from './grpc-status.js';
import { metadataHeaders } from './metadata-headers.js';

export class GrpcDoor {
  /** By the metadata that travels on to the handler. */
  private readonly admitted = new WeakMap<Metadata, Admitted>();

  constructor(
    private readonly doors: Pick<Doors, 'admit'>,
    private readonly limits: CallLimits,
    private readonly told: (error: unknown, method: string) => AppError,
  ) {}

  /** Whose call it is: known for every call that reaches a handler. */
  admittedOf(metadata: Metadata): Admitted {
    const admitted = this.admitted.get(metadata);
    if (!admitted) throw new Error('a call came past the door');
    return admitted;
  }

  readonly interceptor: ServerInterceptor = (method, call) => {
    boundCall(call, this.limits);
    const listener = new ServerListenerBuilder()
      .withOnReceiveMetadata((metadata, proceed) => {
        const address = call.getConnectionInfo().remoteAddress;
        void this.doors.admit({ headers: metadataHeaders(metadata), address }).then(
          (admitted) => {
            this.admitted.set(metadata, admitted);
            proceed(metadata);
          },
          (error: unknown) => call.sendStatus(grpcStatus(this.told(error, method.path))),
        );
      })
      .build();
    return new ServerInterceptingCall(call, new ResponderBuilder().withStart((next) => next(listener)).build());
  };
}
