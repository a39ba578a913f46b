// Where the next page of a list begins, as text: after a task and the time that the list is ordered by.
import { AppError } from '../../../src/errors.js';

interface Position {
  /** Milliseconds since the epoch. */
  at: number;
  taskId: string;
}

export const writeCursor = ({ at, taskId }: Position): string => Buffer.from(`${at}.${taskId}`).toString('base64url');

/** Throws `invalid-params` for what `writeCursor` did not write. */
export function readCursor(cursor: string | undefined): Position | undefined {
  if (cursor === undefined) return undefined;
  const [, at, taskId] = /^(\d{1,15})\.([a-z0-9_-]{1,64})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (at !== undefined && taskId !== undefined) return { at: Number(at), taskId };
  throw badCursor();
}

export const badCursor = (): AppError =>
  new AppError('invalid-params', 'The cursor is not one that a list gave out.', {
    violations: [{ field: 'cursor', description: 'is not valid' }],
  });
