// How many bytes each scope keeps on disk: measured now and then in the background, and in between what was written since
// is added. Invariant: asking never waits for the disk.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../clock.js';
import { errorText, systemCode } from '../errors.js';
import type { Logger } from '../log.js';

/** What the switchboard itself writes below a scope's folder. */
const FOLDERS = ['tasks', 'journal', 'sessions', 'blobs'];
/** Between two measurements that a full scope asks for (ms): what was freed counts after this long. */
const AGAIN_MS = 10_000;
/** Files looked at together. */
const BATCH = 64;

interface Use {
  /** At the last measurement; 0 before the first. */
  measured: number;
  /** Written since it began. */
  since: number;
  measuredAt: number;
  measuring: boolean;
}

interface StorageUseDeps {
  /** The folder that holds `tasks/`, `journal/`, `sessions/` and `blobs/` of a scope. */
  folderOf(scope: string): string;
  clock: Pick<Clock, 'now'>;
  log: Pick<Logger, 'warn'>;
}

export class StorageUse {
  private readonly uses = new Map<string, Use>();
  private running: Promise<unknown> = Promise.resolve();

  constructor(private readonly deps: StorageUseDeps) {}

  /** Bytes were written. More than what stays in the end: what a task went through is folded into its checkpoint. */
  grew(scope: string, bytes: number): void {
    const use = this.uses.get(scope);
    if (use) use.since += bytes;
  }

  /** True when the scope keeps `limit` bytes or more, as far as is known; the first question only begins to find out. */
  reaches(scope: string, limit: number): boolean {
    const use = this.uses.get(scope) ?? this.begin(scope);
    const known = use.measured + use.since;
    // Well before it counts, since what was added is an estimate.
    const mayMatter = known >= limit || (known >= limit * 0.8 && use.since >= limit * 0.05);
    if (mayMatter && !use.measuring && this.deps.clock.now() - use.measuredAt >= AGAIN_MS) this.measure(scope, use);
    return known >= limit;
  }

  /** Resolves when no measurement is under way. */
  async settled(): Promise<void> {
    await this.running;
  }

  private begin(scope: string): Use {
    const use: Use = { measured: 0, since: 0, measuredAt: -Infinity, measuring: false };
    this.uses.set(scope, use);
    this.measure(scope, use);
    return use;
  }

  private measure(scope: string, use: Use): void {
    use.measuring = true;
    const before = use.since;
    const work = bytesBelow(this.deps.folderOf(scope))
      .then(
        (bytes) => {
          use.measured = bytes;
          use.since -= before;
        },
        (error: unknown) => this.deps.log.warn({ scope, reason: errorText(error) }, 'storage could not be measured'),
      )
      .finally(() => {
        use.measuredAt = this.deps.clock.now();
        use.measuring = false;
      });
    this.running = Promise.all([this.running, work]);
  }
}

async function bytesBelow(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of FOLDERS) {
    const path = join(folder, name);
    const files = await unlessGone(readdir(path), []);
    for (let at = 0; at < files.length; at += BATCH) {
      const sizes = files
        .slice(at, at + BATCH)
        .map(async (file) => (await unlessGone(stat(join(path, file)), undefined))?.size ?? 0);
      for (const size of await Promise.all(sizes)) bytes += size;
    }
  }
  return bytes;
}

/** Files come and go while they are counted. */
async function unlessGone<T, U>(work: Promise<T>, otherwise: U): Promise<T | U> {
  try {
    return await work;
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return otherwise;
    throw error;
  }
}
