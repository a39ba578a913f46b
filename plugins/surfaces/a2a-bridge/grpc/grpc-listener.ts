// Where gRPC is spoken: a port of its own, open from the server's start to its stop.
import { experimental, ServerCredentials, type Server, type ServerOptions } from '@grpc/grpc-js';
import type { Clock } from '../../../../src/clock.js';
import type { Config } from '../../../../src/config.js';
import { AppError, errorText } from '../../../../src/errors.js';
import { listensEverywhere, LOOPBACK } from '../../../../src/http/local-url.js';
import type { Logger } from '../../../../src/log.js';
import { TlsFiles } from './tls-files.js';

export type GrpcConfig = Pick<Config, 'host' | 'grpcPort' | 'grpc' | 'publicUrl' | 'maxBodyBytes' | 'heartbeatSeconds'>;

export interface ListenDeps {
  clock: Clock;
  log: Logger;
}

/** An idle connection that does not answer a ping for this long is closed, in milliseconds. */
const PING_TIMEOUT_MS = 20_000;

export const serverOptions = ({ maxBodyBytes, heartbeatSeconds }: GrpcConfig): ServerOptions => ({
  'grpc.max_receive_message_length': maxBodyBytes,
  // Answers are as large as what was stored.
  'grpc.max_send_message_length': -1,
  'grpc.keepalive_time_ms': Math.ceil(heartbeatSeconds * 1000),
  'grpc.keepalive_timeout_ms': PING_TIMEOUT_MS,
});

/**
 * Starts listening; resolves with the address that cards advertise. Throws AppError `config` when the files or the address
 * can't be used.
 */
export async function listenGrpc(server: Server, port: number, config: GrpcConfig, deps: ListenDeps): Promise<string> {
  const { host, grpc, publicUrl } = config;
  try {
    const bound = await bind(server, hostPort(host, port), credentials(grpc, deps));
    const named = listensEverywhere(host) && publicUrl !== undefined ? new URL(publicUrl).hostname : undefined;
    return grpc.publicAddress ?? (named === undefined ? hostPort(LOOPBACK[host] ?? host, bound) : `${named}:${bound}`);
  } catch (error) {
    const files = grpc.cert === undefined ? '' : ' with the files of grpc.cert and grpc.key';
    throw new AppError('config', `gRPC can't be spoken at ${hostPort(host, port)}${files}: ${errorText(error)}`);
  }
}

const hostPort = (host: string, port: number): string => `${host.includes(':') ? `[${host}]` : host}:${port}`;

function credentials({ cert, key }: Config['grpc'], { clock, log }: ListenDeps): ServerCredentials {
  if (cert === undefined || key === undefined) return ServerCredentials.createInsecure();
  return experimental.createCertificateProviderServerCredentials(new TlsFiles({ cert, key }, clock, log), null, false);
}

const bind = (server: Server, address: string, using: ServerCredentials): Promise<number> =>
  new Promise((resolve, reject) => {
    server.bindAsync(address, using, (error, port) => (error ? reject(error) : resolve(port)));
  });

/** Takes no more calls and resolves when the last one is answered; what is left after `graceMs` is cut off. */
export function closeGrpc(server: Server, clock: Clock, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(graceMs, () => server.forceShutdown());
    server.tryShutdown(() => {
      cancel();
      resolve();
    });
  });
}
