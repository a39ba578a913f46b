// An AppError as google.rpc details: ErrorInfo always, BadRequest for parameters, RetryInfo where waiting helps.
import type { AppError } from '../errors.js';
import { ERROR_TABLE, PRODUCT_DOMAIN, PROTOCOL_DOMAIN } from './error-table.js';

const TYPE = 'type.googleapis.com/google.rpc.';

export type ErrorDetail = { '@type': string } & Record<string, unknown>;

const errorInfo = (reason: string, domain: string, metadata?: Record<string, string>): ErrorDetail => ({
  '@type': `${TYPE}ErrorInfo`,
  reason,
  domain,
  ...(metadata && Object.keys(metadata).length > 0 ? { metadata } : {}),
});

/** The typed details of an error, the protocol's own ErrorInfo first. */
export function errorDetails(error: AppError): ErrorDetail[] {
  const row = ERROR_TABLE[error.code];
  const { taskId, pushConfigId, retryAfter, violations } = error.details;
  const metadata: Record<string, string> = {};
  if (taskId !== undefined) metadata['taskId'] = taskId;
  if (pushConfigId !== undefined) metadata['pushConfigId'] = pushConfigId;
  if (retryAfter !== undefined) metadata['retryAfter'] = String(retryAfter);
  const details = [errorInfo(row.reason, row.domain ?? PROTOCOL_DOMAIN, row.detail ? undefined : metadata)];
  if (row.detail) details.push(errorInfo(row.detail, PRODUCT_DOMAIN, metadata));
  if (error.code === 'invalid-params') {
    details.push({
      '@type': `${TYPE}BadRequest`,
      fieldViolations: violations ?? [{ field: '', description: error.message }],
    });
  }
  if (retryAfter !== undefined) details.push({ '@type': `${TYPE}RetryInfo`, retryDelay: `${retryAfter}s` });
  return details;
}
