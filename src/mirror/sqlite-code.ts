// What SQLite itself says went wrong. By the code alone, since the native module keeps the error class of whichever copy of
// the package was loaded first.

/** E.g. `SQLITE_BUSY`; undefined when the error is not SQLite's. */
export function sqliteCode(error: unknown): string | undefined {
  const code: unknown = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && code.startsWith('SQLITE_') ? code : undefined;
}

export const isBusy = (error: unknown): boolean => sqliteCode(error)?.startsWith('SQLITE_BUSY') ?? false;
