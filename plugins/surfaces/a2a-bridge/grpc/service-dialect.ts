// What tells the services of the two versions apart: the messages on the wire. All else is one.
import type { MethodDefinition } from '@grpc/grpc-js';
import type { OperationName } from '../operation.js';
import type { ProtocolVersion } from '../protocol-version.js';
import type { ReadRequest } from '../read-request.js';
import type { LegacyShape } from '../v0-3/legacy-shape.js';

/** Requests stay bytes until a handler reads them, who can say what is wrong with them. */
export type ServiceMethod = MethodDefinition<Buffer, unknown>;

/** Operations that answer once. */
export type UnaryName = Exclude<OperationName, 'SendStreamingMessage' | 'SubscribeToTask'>;

export interface ServiceDialect {
  version: ProtocolVersion;
  /** The full name of the service. */
  service: string;
  /** Those that the service has. */
  methods: Partial<Record<OperationName, ServiceMethod>>;
  /** Where the extensions in force are named. */
  extensionsHeader: string;
  /** Throws AppErrors. */
  read(name: OperationName, message: Buffer): ReadRequest;
  /** What the method's definition encodes, of what the operation gave. */
  answer(name: UnaryName, value: never): unknown;
  /** How events are written for a 0.3 caller. */
  legacy?: LegacyShape;
}
