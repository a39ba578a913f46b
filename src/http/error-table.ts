// One row per error code: what it is over HTTP, in JSON-RPC, and as a google.rpc status. Everything that writes an error
// reads this table, so that the bindings agree.
import type { ErrorCode } from '../errors.js';

export const PROTOCOL_DOMAIN = 'a2a-protocol.org';
export const PRODUCT_DOMAIN = 'a2a-switchboard';

export type RpcStatus =
  | 'INVALID_ARGUMENT'
  | 'NOT_FOUND'
  | 'FAILED_PRECONDITION'
  | 'PERMISSION_DENIED'
  | 'UNAUTHENTICATED'
  | 'RESOURCE_EXHAUSTED'
  | 'UNIMPLEMENTED'
  | 'UNAVAILABLE'
  | 'INTERNAL';

export interface ErrorRow {
  /** HTTP status of the REST binding, and of JSON-RPC where `door` is set. */
  http: number;
  /** JSON-RPC error code. */
  rpc: number;
  /** The code for a 0.3 caller, whose version did not know `rpc`. */
  legacyRpc?: number;
  status: RpcStatus;
  /** The reason of the first ErrorInfo. */
  reason: string;
  /** Domain of that reason; the protocol's own where absent. */
  domain?: typeof PRODUCT_DOMAIN;
  /** JSON-RPC answers with the HTTP status too, instead of 200: the refusal is not about the call's content. */
  door?: true;
  /** HTTP status on the operator's surface, where it differs. */
  operatorHttp?: number;
  /** Reason of a second ErrorInfo in the product's domain. */
  detail?: string;
}

const refusal = (detail: string, operatorHttp: number): ErrorRow => ({
  http: 400,
  rpc: -32004,
  status: 'FAILED_PRECONDITION',
  reason: 'UNSUPPORTED_OPERATION',
  detail,
  operatorHttp,
});
const invalid = (rpc: number, reason: string): ErrorRow => ({ http: 400, rpc, status: 'INVALID_ARGUMENT', reason });
const precondition = (rpc: number, reason: string): ErrorRow => ({
  http: 400,
  rpc,
  status: 'FAILED_PRECONDITION',
  reason,
});
const door = (http: number, rpc: number, status: RpcStatus, reason: string): ErrorRow => ({
  http,
  rpc,
  status,
  reason,
  domain: PRODUCT_DOMAIN,
  door: true,
});

export const ERROR_TABLE: Readonly<Record<ErrorCode, ErrorRow>> = {
  'invalid-params': invalid(-32602, 'INVALID_PARAMS'),
  'parse-error': invalid(-32700, 'PARSE_ERROR'),
  'invalid-request': invalid(-32600, 'INVALID_REQUEST'),
  'method-not-found': { http: 404, rpc: -32601, status: 'UNIMPLEMENTED', reason: 'METHOD_NOT_FOUND' },
  'not-found': door(404, -32601, 'NOT_FOUND', 'NOT_FOUND'),
  'method-not-allowed': door(405, -32600, 'UNIMPLEMENTED', 'METHOD_NOT_ALLOWED'),
  'unsupported-media-type': {
    http: 415,
    rpc: -32005,
    status: 'INVALID_ARGUMENT',
    reason: 'CONTENT_TYPE_NOT_SUPPORTED',
    door: true,
  },
  'too-large': door(413, -32600, 'INVALID_ARGUMENT', 'TOO_LARGE'),
  unauthenticated: door(401, -32000, 'UNAUTHENTICATED', 'UNAUTHENTICATED'),
  forbidden: door(403, -32000, 'PERMISSION_DENIED', 'PERMISSION_DENIED'),
  'agent-not-found': door(404, -32602, 'NOT_FOUND', 'AGENT_NOT_FOUND'),
  'task-not-found': { http: 404, rpc: -32001, status: 'NOT_FOUND', reason: 'TASK_NOT_FOUND' },
  'task-not-cancelable': { ...precondition(-32002, 'TASK_NOT_CANCELABLE'), operatorHttp: 409 },
  'push-not-supported': precondition(-32003, 'PUSH_NOTIFICATION_NOT_SUPPORTED'),
  'unsupported-operation': { ...precondition(-32004, 'UNSUPPORTED_OPERATION'), operatorHttp: 409 },
  'content-type-not-supported': invalid(-32005, 'CONTENT_TYPE_NOT_SUPPORTED'),
  'invalid-agent-response': {
    http: 500,
    rpc: -32006,
    status: 'INTERNAL',
    reason: 'INVALID_AGENT_RESPONSE',
    operatorHttp: 502,
  },
  'extended-card-not-configured': precondition(-32007, 'EXTENDED_AGENT_CARD_NOT_CONFIGURED'),
  'extension-required': { ...precondition(-32008, 'EXTENSION_SUPPORT_REQUIRED'), legacyRpc: -32004 },
  'version-not-supported': { ...precondition(-32009, 'VERSION_NOT_SUPPORTED'), legacyRpc: -32004 },
  busy: refusal('BUSY', 409),
  cooldown: refusal('COOLDOWN', 429),
  quota: refusal('QUOTA', 429),
  loop: refusal('LOOP', 409),
  'rate-limited': door(429, -32000, 'RESOURCE_EXHAUSTED', 'RATE_LIMITED'),
  overloaded: door(503, -32000, 'UNAVAILABLE', 'OVERLOADED'),
  'storage-failed': door(503, -32603, 'UNAVAILABLE', 'STORAGE_FAILED'),
  locked: { http: 500, rpc: -32603, status: 'INTERNAL', reason: 'INTERNAL', domain: PRODUCT_DOMAIN },
  // Only the operator hears what is wrong with a file; whoever calls an agent hears that something is.
  config: {
    http: 500,
    rpc: -32603,
    status: 'INTERNAL',
    reason: 'CONFIGURATION',
    domain: PRODUCT_DOMAIN,
    operatorHttp: 409,
  },
  internal: { http: 500, rpc: -32603, status: 'INTERNAL', reason: 'INTERNAL', domain: PRODUCT_DOMAIN },
};
