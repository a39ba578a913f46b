// What a peer's error means for whoever called: by numbers and reasons, never by the words of a message. Pure tables.
import { isObject } from '../read-json.js';
import type { RemoteFault } from './remote-port.js';

/** An error as a binding brought it. */
export interface PeerFailure {
  /** JSON-RPC's number. */
  rpc?: number;
  /** HTTP status, where it is the error itself or came with it. */
  http?: number;
  /** gRPC status code. */
  grpc?: number;
  message?: string;
  /** google.rpc details: `data` over JSON-RPC, `details` over HTTP+JSON. */
  details?: unknown;
}

interface Meaning {
  fault: RemoteFault;
  code: string;
}

/** JSON-RPC numbers are the same in both versions, where both have them. */
const RPC_REASONS: Readonly<Record<number, string>> = {
  [-32700]: 'PARSE_ERROR',
  [-32600]: 'INVALID_REQUEST',
  [-32601]: 'METHOD_NOT_FOUND',
  [-32602]: 'INVALID_PARAMS',
  [-32603]: 'INTERNAL_ERROR',
  [-32001]: 'TASK_NOT_FOUND',
  [-32002]: 'TASK_NOT_CANCELABLE',
  [-32003]: 'PUSH_NOTIFICATION_NOT_SUPPORTED',
  [-32004]: 'UNSUPPORTED_OPERATION',
  [-32005]: 'CONTENT_TYPE_NOT_SUPPORTED',
  [-32006]: 'INVALID_AGENT_RESPONSE',
  [-32007]: 'EXTENDED_AGENT_CARD_NOT_CONFIGURED',
  [-32008]: 'EXTENSION_SUPPORT_REQUIRED',
  [-32009]: 'VERSION_NOT_SUPPORTED',
};

const REASONS: ReadonlySet<string> = new Set(Object.values(RPC_REASONS));

const FAULTS: Readonly<Record<string, RemoteFault>> = {
  TASK_NOT_FOUND: 'task-not-found',
  PUSH_NOTIFICATION_NOT_SUPPORTED: 'unsupported',
  UNSUPPORTED_OPERATION: 'unsupported',
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: 'unsupported',
  VERSION_NOT_SUPPORTED: 'unsupported',
  METHOD_NOT_FOUND: 'unsupported',
  BUSY: 'busy',
  UNAUTHENTICATED: 'rejected-key',
  PERMISSION_DENIED: 'rejected-key',
};

/** gRPC statuses that mean something even without a reason. */
const GRPC_MEANINGS: Readonly<Record<number, Meaning>> = {
  1: { fault: 'aborted', code: 'GRPC_CANCELLED' },
  4: { fault: 'timeout', code: 'GRPC_DEADLINE_EXCEEDED' },
  5: { fault: 'task-not-found', code: 'GRPC_NOT_FOUND' },
  7: { fault: 'rejected-key', code: 'PERMISSION_DENIED' },
  12: { fault: 'unsupported', code: 'METHOD_NOT_FOUND' },
  14: { fault: 'unreachable', code: 'GRPC_UNAVAILABLE' },
  16: { fault: 'rejected-key', code: 'UNAUTHENTICATED' },
};

export function meaningOf(failure: PeerFailure): Meaning {
  const { http, grpc, rpc } = failure;
  if (http === 401 || http === 403) {
    return { fault: 'rejected-key', code: http === 401 ? 'UNAUTHENTICATED' : 'PERMISSION_DENIED' };
  }
  const reasons = reasonsOf(failure.details);
  // The more precise one of a switchboard stands beside the protocol's own.
  const precise = reasons.find((reason) => reason === 'BUSY');
  const reason = precise ?? reasons[0] ?? (rpc === undefined ? undefined : RPC_REASONS[rpc]);
  if (reason !== undefined) return { fault: FAULTS[reason] ?? 'refused', code: reason };
  if (grpc !== undefined) return GRPC_MEANINGS[grpc] ?? { fault: 'refused', code: `GRPC_${grpc}` };
  if (rpc !== undefined) return { fault: 'refused', code: `RPC_${rpc}` };
  if (http === undefined) return { fault: 'refused', code: 'UNKNOWN' };
  return { fault: http >= 500 && http !== 501 ? 'unreachable' : 'refused', code: `HTTP_${http}` };
}

/** The reasons of all ErrorInfo details, in order. */
function reasonsOf(details: unknown): string[] {
  return (Array.isArray(details) ? details : []).flatMap((detail: unknown) =>
    isObject(detail) && typeof detail['reason'] === 'string' && /^[A-Z][A-Z0-9_]{0,62}$/.test(detail['reason'])
      ? [detail['reason']]
      : [],
  );
}

/**
 * The reason by the name that an error's message begins with, as in `TaskNotCancelableError: …`. Servers of 0.3 write that
 * over gRPC, where they have one status for several errors and no details.
 */
export function namedReason(message: string): string | undefined {
  const [, name = ''] = /^([A-Za-z]{1,60})Error: /.exec(message) ?? [];
  const reason = name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();
  return REASONS.has(reason) ? reason : undefined;
}

/** True when the peer said that it does not speak like this at all: another version or binding may do. */
export const speaksOtherwise = (code: string | undefined): boolean =>
  code === 'METHOD_NOT_FOUND' || code === 'VERSION_NOT_SUPPORTED';
