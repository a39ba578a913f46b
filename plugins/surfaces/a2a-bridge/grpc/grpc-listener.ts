// Where gRPC is spoken: a port of its own, open from the server's start to its stop.
import { createServer, type AddressInfo, type Server as NetServer, type Socket } from 'node:net';
import { experimental, ServerCredentials, type Server, type ServerOptions } from '@grpc/grpc-js';
import type { Clock } from '../../../../src/clock.js';
import type { Config } from '../../../../src/config.js';
import { AppError, errorText } from '../../../../src/errors.js';
import { openFilesLimit, secondConnectionLimit } from '../../../../src/http/connection-limit.js';
import { listensEverywhere, LOOPBACK } from '../../../../src/http/local-url.js';
import type { Logger } from '../../../../src/log.js';
import { TlsFiles } from './tls-files.js';

export type GrpcConfig = Pick<
  Config,
  'host' | 'grpcPort' | 'grpc' | 'publicUrl' | 'maxBodyBytes' | 'heartbeatSeconds' | 'connections'
>;

interface ListenDeps {
  clock: Clock;
  log: Logger;
  /** Told of each connection that was closed because there were too many. */
  dropped(): void;
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

export interface GrpcPort {
  /** `host:port`, as cards advertise it. */
  address: string;
  /** Takes no more calls and resolves when the last one is answered; what is left after `graceMs` is cut off. */
  close(graceMs: number): Promise<void>;
}

/**
 * Starts listening. grpc-js counts no connections, so the port is held here and they are handed on to it. Throws AppError
 * `config` when the files or the address can't be used.
 */
export async function listenGrpc(
  server: Server,
  port: number,
  config: GrpcConfig,
  deps: ListenDeps,
): Promise<GrpcPort> {
  const { host, grpc, publicUrl, connections } = config;
  try {
    const injector = server.createConnectionInjector(credentials(grpc, deps));
    const open = new Set<Socket>();
    const listener = createServer((socket) => {
      open.add(socket);
      socket.on('close', () => open.delete(socket));
      injector.injectConnection(socket);
    });
    listener.maxConnections = secondConnectionLimit(connections.max, openFilesLimit());
    listener.on('drop', deps.dropped);
    const bound = await listening(listener, host, port).catch((error: unknown) => {
      // Else the certificate's files would be looked at for ever.
      injector.destroy();
      throw error;
    });
    const named = listensEverywhere(host) && publicUrl !== undefined ? new URL(publicUrl).hostname : undefined;
    return {
      address:
        grpc.publicAddress ?? (named === undefined ? hostPort(LOOPBACK[host] ?? host, bound) : `${named}:${bound}`),
      async close(graceMs) {
        const cancel = deps.clock.after(graceMs, () => {
          server.forceShutdown();
          for (const socket of open) socket.destroy();
        });
        await Promise.all([
          new Promise<void>((resolve) => listener.close(() => resolve())),
          new Promise<void>((resolve) => server.tryShutdown(() => resolve())),
        ]);
        cancel();
      },
    };
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

const listening = (listener: NetServer, host: string, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    listener.once('error', reject);
    listener.listen({ host, port }, () => {
      listener.off('error', reject);
      resolve((listener.address() as AddressInfo).port);
    });
  });
