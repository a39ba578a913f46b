// The gRPC binding as one part: the door, the service and the listener that stand on each other.
import { Server, type ServiceDefinition } from '@grpc/grpc-js';
import type { Clock } from '../../../../src/clock.js';
import { createTeller } from '../../../../src/http/error-writers.js';
import { STALL_MS } from '../../../../src/http/slow-readers.js';
import type { Logger } from '../../../../src/log.js';
import type { Core } from '../../../../src/plugin.js';
import type { CheckPorts } from '../checked-call.js';
import type { Operations } from '../operations.js';
import type { CardSigner } from '../signing/sign-card.js';
import { GrpcDoor } from './grpc-door.js';
import { listenGrpc, serverOptions, type GrpcListener } from './grpc-listener.js';
import { CURRENT_SERVICE } from './current-service.js';
import { grpcHandlers } from './grpc-service.js';
import { GrpcStreams } from './grpc-streams.js';
import { legacyService } from './legacy-service.js';

const CLOSE_MS = 2_000;

export class GrpcSurface {
  private listener: GrpcListener | undefined;
  private readonly server: Server;
  private readonly streams: GrpcStreams;
  private readonly clock: Clock;

  constructor(
    private readonly core: CheckPorts & Pick<Core, 'clock' | 'doors' | 'streams'>,
    operations: Operations,
    signer: Pick<CardSigner, 'signed'>,
    private readonly log: Logger,
  ) {
    this.clock = core.clock;
    this.streams = new GrpcStreams(core.streams);
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
    return this.listener?.address;
  }

  /** Throws AppError `config`. */
  async listen(port: number): Promise<void> {
    this.listener = await listenGrpc(this.server, port, this.core.config, { clock: this.clock, log: this.log });
    this.log.info({ address: this.address, tls: this.core.config.grpc.cert !== undefined }, 'gRPC is spoken');
  }

  /** Ends the streams and lets what runs come to its end. */
  async stop(): Promise<void> {
    const { listener } = this;
    this.listener = undefined;
    this.streams.endAll();
    await listener?.close(CLOSE_MS);
  }
}
