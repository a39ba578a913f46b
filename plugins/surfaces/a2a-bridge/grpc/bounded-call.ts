// What grpc-js does with a call by itself and offers no option for: it refuses a message that is too large without details,
// and waits without end for a reader that takes nothing. Its call object is reached into here, and only here.
import { status, type ServerInterceptingCallInterface } from '@grpc/grpc-js';
import { AppError } from '../../../../src/errors.js';
import { grpcStatus } from './grpc-status.js';

export interface CallLimits {
  /** Of a request's message. */
  maxBytes: number;
  /** A reader that takes nothing for this long is cut off, in milliseconds. One that takes its time, but takes, never is. */
  stallMs: number;
}

/** What is used of Node's stream below the call. */
interface Http2Stream {
  on(event: 'timeout', listener: () => void): void;
  setTimeout(ms: number): void;
  close(code: number): void;
}

/** RFC 9113, 7. */
const ENHANCE_YOUR_CALM = 0xb;

/** Bounds a call as it comes from grpc-js. One that is cut off looks canceled to its handler. */
export function boundCall(call: ServerInterceptingCallInterface, { maxBytes, stallMs }: CallLimits): void {
  const sendStatus = call.sendStatus.bind(call);
  call.sendStatus = (ending) => {
    const unsaid = ending.code === status.RESOURCE_EXHAUSTED && !ending.metadata;
    sendStatus(unsaid ? grpcStatus(tooLarge(maxBytes)) : ending);
  };

  const { stream } = call as { stream?: Http2Stream };
  // Node tells of a timeout only when nothing has left meanwhile.
  stream?.on('timeout', () => stream.close(ENHANCE_YOUR_CALM));
  const sendMessage = call.sendMessage.bind(call);
  call.sendMessage = (message, sent) => {
    stream?.setTimeout(stallMs);
    sendMessage(message, () => {
      stream?.setTimeout(0);
      sent();
    });
  };
}

const tooLarge = (limit: number): AppError => new AppError('too-large', `The message is larger than ${limit} bytes.`);
