// The gRPC binding as one part: the door, the service and the listener that stand on each other.
import { Server, type ServiceDefinition } from '@grpc/grpc-js';
import { createTeller } from '../../../../src/http/error-writers.js';
import type { Counter } from '../../../../src/http/metrics.js';
import { STALL_MS } from '../../../../src/http/slow-readers.js';
import type { Logger } from '../../../../src/log.js';
import type { Core } from '../../../../src/plugin.js';
import type { CheckPorts } from '../checked-call.js';
import type { Operations } from '../operations.js';
import type { CardSigner } from '../signing/sign-card.js';
import { GrpcDoor } from './grpc-door.js';
import { listenGrpc, serverOptions, type GrpcPort } from './grpc-listener.js';
import { CURRENT_SERVICE } from './current-service.js';
import { grpcHandlers } from './grpc-service.js';
import { GrpcStreams } from './grpc-streams.js';
import { legacyService } from './legacy-service.js';

const CLOSE_MS = 2_000;

export class GrpcSurface {
  private port: GrpcPort | undefined;
  private readonly server: Server;
  private readonly streams: GrpcStreams;
  private readonly dropped: Counter;

  constructor(
    private readonly core: CheckPorts & Pick<Core, 'clock' | 'doors' | 'streams' | 'metrics'>,
    operations: Operations,
    signer: Pick<CardSigner, 'signed'>,
    private readonly log: Logger,
  ) {
    this.streams = new GrpcStreams(core.streams);
    const help = 'gRPC connections closed: there were too many.';
    this.dropped = core.metrics.counter('switchboard_grpc_connections_dropped_total', help);
    const tell = createTeller(log);
    const told = (error: unknown, method: string) => tell(error, { method });
    const limits = { maxBytes: core.config.maxBodyBytes, stallMs: STALL_MS };
    const door = new GrpcDoor(core.doors, limits, told);
    this.server = new Server({ ...serverOptions(core.config), interceptors: [door.interceptor] });
    const deps = { core, operations, door, streams: this.streams, told };
    for (const dialect of [CURRENT_SERVICE, legacyService((card) => signer.signed(card))]) {
      this.server.addService(dialect.methods as ServiceDefinition, grpcHandlers(deps, dialect));
    }
  }

  /** `host:port` for cards; undefined while nobody listens. */
  get address(): string | undefined {
    return this.port?.address;
  }

  /** Throws AppError `config`. */
  async listen(port: number): Promise<void> {
    const { config, clock } = this.core;
    const deps = { clock, log: this.log, dropped: () => this.dropped.add() };
    this.port = await listenGrpc(this.server, port, config, deps);
    this.log.info({ address: this.address, tls: config.grpc.cert !== undefined }, 'gRPC is spoken');
  }

  /** Ends the streams and lets what runs come to its end. */
  async stop(): Promise<void> {
    const { port } = this;
    this.port = undefined;
    this.streams.endAll();
    await port?.close(CLOSE_MS);
  }
}
