// Where gRPC is spoken: a port of its own, open from the server's start to its stop.
import { createServer, type AddressInfo, type Server as Listener, type Socket } from 'node:net';
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

export interface GrpcListener {
  /** What cards advertise. */
  address: string;
  /** Takes no more calls and resolves when the last one is answered; what is left after `graceMs` is cut off. */
  close(graceMs: number): Promise<void>;
}

/** Starts listening. Throws AppError `config` when the files or the address can't be used. */
export async function listenGrpc(
  server: Server,
  port: number,
  config: GrpcConfig,
  deps: ListenDeps,
): Promise<GrpcListener> {
  const { host, grpc, publicUrl } = config;
  try {
    const injector = server.createConnectionInjector(credentials(grpc, deps));
    const sockets = new Set<Socket>();
    const listener = createServer({ noDelay: true }, (socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      injector.injectConnection(socket);
    });
    const bound = await listen(listener, host, port);
    const named = listensEverywhere(host) && publicUrl !== undefined ? new URL(publicUrl).hostname : undefined;
    const known = named === undefined ? hostPort(LOOPBACK[host] ?? host, bound) : `${named}:${bound}`;
    return {
      address: grpc.publicAddress ?? known,
      close: (graceMs) => close(server, listener, sockets, deps, graceMs),
    };
  } catch (error) {
    throw new AppError('config', `gRPC can't be spoken at ${hostPort(host, port)}: ${errorText(error)}`);
  }
}

const hostPort = (host: string, port: number): string => `${host.includes(':') ? `[${host}]` : host}:${port}`;

function credentials({ cert, key }: Config['grpc'], { clock, log }: ListenDeps): ServerCredentials {
  if (cert === undefined || key === undefined) return ServerCredentials.createInsecure();
  return experimental.createCertificateProviderServerCredentials(new TlsFiles({ cert, key }, clock, log), null, false);
}

const listen = (listener: Listener, host: string, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    listener.once('error', reject);
    listener.listen({ host, port }, () => {
      listener.off('error', reject);
      resolve((listener.address() as AddressInfo).port);
    });
  });

/**
 * gRPC's own shutdown leaves the sockets to the clients: one that says nothing and stays would keep the process from ever
 * ending.
 */
function close(
  server: Server,
  listener: Listener,
  sockets: ReadonlySet<Socket>,
  { clock }: Pick<ListenDeps, 'clock'>,
  graceMs: number,
): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(graceMs, () => {
      server.forceShutdown();
      for (const socket of sockets) socket.destroy();
    });
    const shut = new Promise<void>((done) => server.tryShutdown(() => done()));
    const closed = new Promise<void>((done) => listener.close(() => done()));
    void Promise.all([shut, closed]).then(() => {
      cancel();
      resolve();
    });
  });
}
