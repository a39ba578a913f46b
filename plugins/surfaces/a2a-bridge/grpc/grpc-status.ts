// An AppError as gRPC tells it: the status of the error table, and the same typed details as the other bindings in
// google.rpc.Status, which travels in the trailers.
import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { Metadata, status, type StatusObject } from '@grpc/grpc-js';
import type { AppError } from '../../../../src/errors.js';
import { errorDetails, type ErrorDetail } from '../../../../src/http/error-details.js';
import { ERROR_TABLE, type ErrorRow, type RpcStatus } from '../../../../src/http/error-table.js';

const DETAILS = 'grpc-status-details-bin';

/** The status with its trailers; `legacy` for a caller of 0.3. */
export function grpcStatus(error: AppError, legacy = false): StatusObject {
  const row = ERROR_TABLE[error.code];
  const code = error.code === 'too-large' ? status.RESOURCE_EXHAUSTED : status[legacy ? legacyStatus(row) : row.status];
  const { message } = error;
  const metadata = new Metadata();
  metadata.set(DETAILS, encodeStatus(code, message, errorDetails(error)));
  if (error.code === 'unauthenticated') metadata.set('www-authenticate', 'Bearer, ApiKey header="X-API-Key"');
  return { code, details: message, metadata };
}

/** What is not supported was UNIMPLEMENTED in 0.3, whose clients know it by that; a refusal for now is no such thing. */
function legacyStatus({ rpc, legacyRpc = rpc, status: current, detail }: ErrorRow): RpcStatus {
  return (legacyRpc === -32003 || legacyRpc === -32004) && detail === undefined ? 'UNIMPLEMENTED' : current;
}

/** google.rpc.Status. */
function encodeStatus(code: number, message: string, details: readonly ErrorDetail[]): Buffer {
  const writer = new BinaryWriter().uint32(tag(1, VARINT)).int32(code).uint32(tag(2, BYTES)).string(message);
  for (const detail of details) {
    nested(writer, 3, (any) => {
      any.uint32(tag(1, BYTES)).string(detail['@type']);
      nested(any, 2, (value) => encodeDetail(value, detail));
    });
  }
  return Buffer.from(writer.finish());
}

function encodeDetail(writer: BinaryWriter, detail: ErrorDetail): void {
  switch (detail['@type'].split('.').pop()) {
    case 'ErrorInfo': {
      text(text(writer, 1, detail['reason'] as string), 2, detail['domain'] as string);
      for (const [key, value] of Object.entries((detail['metadata'] ?? {}) as Record<string, string>)) {
        nested(writer, 3, (entry) => void text(text(entry, 1, key), 2, value));
      }
      return;
    }
    case 'BadRequest':
      for (const { field, description } of detail['fieldViolations'] as { field: string; description: string }[]) {
        nested(writer, 1, (violation) => void text(text(violation, 1, field), 2, description));
      }
      return;
    case 'RetryInfo': {
      const seconds = Number.parseFloat(detail['retryDelay'] as string);
      nested(writer, 1, (duration) => {
        duration.uint32(tag(1, VARINT)).int64(Math.floor(seconds));
        duration.uint32(tag(2, VARINT)).int32(Math.round((seconds % 1) * 1e9));
      });
      return;
    }
    default:
      throw new Error(`${detail['@type']} has no binary form here`);
  }
}

const VARINT = 0;
const BYTES = 2;
const tag = (field: number, type: number): number => (field << 3) | type;

const text = (writer: BinaryWriter, field: number, value: string): BinaryWriter =>
  writer.uint32(tag(field, BYTES)).string(value);

function nested(writer: BinaryWriter, field: number, write: (inner: BinaryWriter) => void): void {
  writer.uint32(tag(field, BYTES)).fork();
  write(writer);
  writer.join();
}
