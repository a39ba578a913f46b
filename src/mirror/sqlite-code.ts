// What SQLite itself says went wrong. By the code alone, since the native module keeps the error class of whichever copy of
// the package was loaded first.
import { AppError } from '../errors.js';

/** E.g. `SQLITE_BUSY`; undefined when the error is not SQLite's. */
export function sqliteCode(error: unknown): string | undefined {
  const code: unknown = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && code.startsWith('SQLITE_') ? code : undefined;
}

export const isBusy = (error: unknown): boolean => sqliteCode(error)?.startsWith('SQLITE_BUSY') ?? false;

/** Does the work; SQLite's own errors come out as AppError `storage-failed`, with the error as their cause. */
export function storing<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (sqliteCode(error) === undefined) throw error;
    throw new AppError(
      'storage-failed',
      'The index of tasks could not be used; nothing was lost.',
      {},
      { cause: error },
    );
  }
}
