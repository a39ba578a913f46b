// Page tokens: opaque, and bound to the caller, the agent and the filters they were made for.
import { createHash } from 'node:crypto';
import { invalid } from './fields.js';

interface PagePosition {
  statusAt: number;
  taskId: string;
}

/** `binding` is everything that must be the same on the next page. */
export function writePageToken(position: PagePosition, binding: string): string {
  const payload = `${position.statusAt}.${position.taskId}`;
  return Buffer.from(`${seal(payload, binding)}.${payload}`).toString('base64url');
}

/** Throws `invalid-params` for a token that was not made by `writePageToken` with this binding. */
export function readPageToken(token: string, binding: string): PagePosition {
  const [mark, statusAt, taskId, ...rest] = Buffer.from(token, 'base64url').toString('utf8').split('.');
  const position = { statusAt: Number(statusAt), taskId: taskId ?? '' };
  // Writing it again also refuses other spellings of the same bytes.
  if (rest.length > 0 || mark === undefined || writePageToken(position, binding) !== token) {
    throw invalid('pageToken', 'is not a token of this list');
  }
  return position;
}

const seal = (payload: string, binding: string): string =>
  createHash('sha256').update(`${binding}\n${payload}`).digest('base64url').slice(0, 22);
