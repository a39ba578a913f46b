// A gRPC client's interceptor that adds metadata to each call: how a client brings its key over an insecure channel.
import { InterceptingCall, type Interceptor } from '@grpc/grpc-js';

export const withMetadata =
  (entries: Readonly<Record<string, string>>): Interceptor =>
  (options, nextCall) =>
    new InterceptingCall(nextCall(options), {
      start(metadata, listener, next) {
        for (const [name, value] of Object.entries(entries)) metadata.set(name, value);
        next(metadata, listener);
      },
    });
