// What to do after an error, where the command line can tell: one line below the error's own words.
import { AppError, type ErrorCode } from '../errors.js';

const BY_ERROR: Partial<Record<ErrorCode, string>> = {
  'agent-not-found': 'All that can be called: switchboard agents',
  'task-not-found': 'All tasks: switchboard tasks',
  unauthenticated:
    "Set SWITCHBOARD_OPERATOR_KEY to that server's operator key; a generated one is in data/operator.key of its home.",
};

/** Undefined where the error's words must do. */
export const nextStep = (error: unknown): string | undefined =>
  error instanceof AppError ? BY_ERROR[error.code] : undefined;
