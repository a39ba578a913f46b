// How many connections a server takes: what its owner allows, but never so many that no file could be opened any more. A
// task that can't be stored is worse than a connection that is closed.

/** Files and calls to others get a quarter of what the process may open, and this at most. */
const LARGEST_RESERVE = 1024;

/** `openFiles`: what the process may have open at once; undefined where nobody knows. */
export function connectionLimit(max: number, openFiles: number | undefined): number {
  if (openFiles === undefined) return max;
  return Math.min(max, openFiles - Math.min(Math.ceil(openFiles / 4), LARGEST_RESERVE));
}

/** The operating system's limit of open files for this process; undefined where there is none or it is not told. */
export function openFilesLimit(): number | undefined {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : undefined;
}
