// How many connections a server takes: what its owner allows, but never so many that no file could be opened any more. A
// task that can't be stored is worse than a connection that is closed.

/** Files and calls to others get a quarter of what the process may open, and this at most. */
const LARGEST_RESERVE = 1024;

/** What a second listener takes at least, as a share of what the first does, out of the reserve if need be. */
const SECOND_SHARE = 1 / 8;

/** `openFiles`: what the process may have open at once; undefined where nobody knows. */
export function connectionLimit(max: number, openFiles: number | undefined): number {
  return openFiles === undefined ? max : Math.min(max, withoutReserve(openFiles));
}

/** For a second listener beside one with `connectionLimit`: what that one leaves. */
export function secondConnectionLimit(max: number, openFiles: number | undefined): number {
  if (openFiles === undefined) return max;
  const first = connectionLimit(max, openFiles);
  return Math.min(max, Math.max(Math.ceil(first * SECOND_SHARE), withoutReserve(openFiles) - first));
}

const withoutReserve = (openFiles: number): number => openFiles - Math.min(Math.ceil(openFiles / 4), LARGEST_RESERVE);

/**
 * The operating system's limit of open files for this process; undefined where there is none or it is not told. Connections
 * are left out of the report that tells it: looking up their names would block a program that has some for seconds.
 */
export function openFilesLimit(report: LimitReport = process.report): number | undefined {
  const { excludeNetwork } = report;
  report.excludeNetwork = true;
  try {
    const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
    const soft = userLimits?.open_files?.soft;
    return typeof soft === 'number' ? soft : undefined;
  } finally {
    report.excludeNetwork = excludeNetwork;
  }
}

/** Node's diagnostic report, as far as it is used. */
interface LimitReport {
  /** Node has it since 20.13; its types do not. */
  excludeNetwork?: boolean | undefined;
  getReport(): object;
}
