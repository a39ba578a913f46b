// Blobs as files named by the SHA-256 of their content. Invariant: what `put` returned can be read back unchanged, unless
// it was put for a message that was then refused.
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { Clock } from '../clock.js';
import type { Disk, Durability } from '../disk.js';
import { AppError, isMissing } from '../errors.js';
import type { BlobRef, BlobStore } from './blob-store.js';

const FOLDER = 'blobs';
const NAME = /^[0-9a-f]{64}$/;
const POINTS = { before: 'blob.before-write', temp: 'blob.after-temp', renamed: 'blob.after-rename' } as const;

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** A file that nothing refers to for good yet. */
interface Shared {
  /** Submissions under way that refer to it. */
  holders: number;
}

/** Whoever put a file has so long to make a task refer to it. Many times longer than that takes. */
const CLAIM_MS = 60_000;

interface BlobFilesDeps {
  disk: Disk;
  clock: Pick<Clock, 'now'>;
  /** The folder of a scope; blobs are in `blobs/` below it. */
  folderOf(scope: string): string;
  durability: Durability;
  /** Told of every file that is made. */
  grew?(scope: string, bytes: number): void;
}

export class BlobFiles implements BlobStore {
  /**
   * Files that submissions under way have made. One that is accepted, and any other `put`, takes its files out: then
   * something refers to them for good.
   */
  private readonly tentative = new Map<string, Shared>();
  /** When a file was put last, for those of the last minute; oldest first. */
  private readonly recent = new Map<string, number>();
  /** With `power`: folders whose removals are perhaps not on the medium yet. */
  private readonly unsynced = new Set<string>();

  constructor(private readonly deps: BlobFilesDeps) {}

  put(scope: string, bytes: Uint8Array): BlobRef {
    const { blob, size, path } = this.store(scope, bytes);
    this.tentative.delete(path);
    return { blob, size };
  }

  async tentatively<T>(scope: string, submit: (put: (bytes: Uint8Array) => BlobRef) => Promise<T>): Promise<T> {
    const held = new Map<string, Shared>();
    const put = (bytes: Uint8Array): BlobRef => {
      const { blob, size, path, made } = this.store(scope, bytes);
      // A file that was there before is somebody's; one that another submission has just made is shared with it.
      const shared = this.tentative.get(path) ?? (made ? { holders: 0 } : undefined);
      if (shared && held.get(path) !== shared) {
        shared.holders++;
        held.set(path, shared);
        this.tentative.set(path, shared);
      }
      return { blob, size };
    };
    try {
      const result = await submit(put);
      for (const path of held.keys()) this.tentative.delete(path);
      return result;
    } catch (error) {
      for (const [path, shared] of held) this.letGo(path, shared);
      throw error;
    }
  }

  read(scope: string, blob: string): Buffer | undefined {
    if (!NAME.test(blob)) return undefined;
    const path = this.path(scope, blob);
    const bytes = onDisk('A stored file could not be read.', () => this.deps.disk.readFile(path));
    return bytes && sha256(bytes) === blob ? bytes : undefined;
  }

  /** True when the scope has any file stored. */
  any(scope: string): boolean {
    return this.deps.disk.list(join(this.deps.folderOf(scope), FOLDER)).length > 0;
  }

  /** Removes a file that nothing refers to; false when somebody put it a moment ago and may be about to refer to it. */
  removeUnused(scope: string, blob: string): boolean {
    const { disk, durability, clock } = this.deps;
    if (!NAME.test(blob)) return true;
    const path = this.path(scope, blob);
    const at = this.recent.get(path);
    if (this.tentative.has(path) || (at !== undefined && clock.now() - at < CLAIM_MS)) return false;
    disk.unlink(path);
    if (durability === 'power') this.unsynced.add(dirname(path));
    disk.failpoints.hit('purge.after-blob');
    return true;
  }

  /** With durability `power`: everything removed before this call is gone for good once it resolves. */
  async sync(): Promise<void> {
    for (const folder of [...this.unsynced]) {
      try {
        await this.deps.disk.syncFolder(folder);
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
      this.unsynced.delete(folder);
    }
  }

  /** Removes what a crash left of unfinished writes. Before the first `put`. */
  clearLeftovers(scope: string): void {
    const { disk, folderOf } = this.deps;
    const folder = join(folderOf(scope), FOLDER);
    for (const name of disk.list(folder)) if (name.endsWith('.tmp')) disk.unlinkQuietly(join(folder, name));
  }

  /** `made`: there was no such file before, damaged or not. */
  private store(scope: string, bytes: Uint8Array): BlobRef & { path: string; made: boolean } {
    const { disk, durability } = this.deps;
    const blob = sha256(bytes);
    const path = this.path(scope, blob);
    const size = bytes.byteLength;
    return onDisk('A file could not be stored; nothing was accepted.', () => {
      this.claim(path);
      const made = disk.size(path) === undefined;
      if (made || !this.holds(path, bytes)) {
        const data = Buffer.from(bytes.buffer, bytes.byteOffset, size);
        disk.writeFileAtomic(path, data, { points: POINTS, ...(durability === 'power' && { sync: 'all' }) });
        if (made) this.deps.grew?.(scope, size);
      }
      return { blob, size, path, made };
    });
  }

  private claim(path: string): void {
    const now = this.deps.clock.now();
    this.recent.delete(path);
    this.recent.set(path, now);
    for (const [oldest, at] of this.recent) {
      if (now - at < CLAIM_MS) return;
      this.recent.delete(oldest);
    }
  }

  private letGo(path: string, shared: Shared): void {
    shared.holders--;
    if (this.tentative.get(path) !== shared || shared.holders > 0) return;
    this.tentative.delete(path);
    this.deps.disk.unlinkQuietly(path);
  }

  /**
   * True when the file is what it should be. Compared, not trusted, so that sending a file again heals one that a power
   * cut or a failing disk damaged.
   */
  private holds(path: string, bytes: Uint8Array): boolean {
    const { disk, durability } = this.deps;
    if (disk.size(path) !== bytes.byteLength || !disk.readFile(path)?.equals(bytes)) return false;
    // It may come from a process that died before its sync.
    if (durability === 'power') disk.syncPathNow(path);
    return true;
  }

  private path(scope: string, blob: string): string {
    return join(this.deps.folderOf(scope), FOLDER, blob);
  }
}

function onDisk<T>(failure: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof AppError ? error : new AppError('storage-failed', failure, {}, { cause: error });
  }
}
