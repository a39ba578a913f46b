// A gRPC message as the parameters that every binding is read from: ProtoJSON, so that one reader checks them all.
import { AppError } from '../../../../src/errors.js';
import { MAX_DEPTH } from '../../../../src/strict-json.js';
import { Fields } from '../fields.js';
import type { OperationName } from '../operation.js';

/** `decode` gives the message's ProtoJSON. Throws AppErrors `parse-error`, `invalid-request` and `invalid-params`. */
export function readMessageJson(name: OperationName, decode: () => unknown): Fields {
  let json: unknown;
  try {
    json = decode();
  } catch {
    throw new AppError('parse-error', `The message is no ${name} request, or nested too deep.`);
  }
  checkValues(json, 1);
  return Fields.of(json);
}

/** What the wire can carry and JSON can't, and what JSON bodies may not be either. */
function checkValues(value: unknown, depth: number): void {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new AppError('invalid-params', 'A number is not finite.');
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth > MAX_DEPTH) {
    throw new AppError('invalid-request', `The message is nested deeper than ${MAX_DEPTH} levels.`);
  }
  for (const member of Object.values(value)) checkValues(member, depth + 1);
}
