// Blobs as files named by the SHA-256 of their content. Invariant: what `put` returned can be read back unchanged.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Disk, Durability } from '../disk.js';
import type { BlobStore } from './blob-store.js';

const NAME = /^[0-9a-f]{64}$/;
const POINTS = { before: 'blob.before-write', temp: 'blob.after-temp', renamed: 'blob.after-rename' } as const;

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

export class BlobFiles implements BlobStore {
  constructor(
    private readonly deps: {
      disk: Disk;
      /** The folder of a scope; blobs are in `blobs/` below it. */
      folderOf(scope: string): string;
      durability: Durability;
    },
  ) {}

  /** Throws the errors of node:fs; nothing is stored then. */
  put(scope: string, bytes: Uint8Array): { blob: string; size: number } {
    const { disk, durability } = this.deps;
    const blob = sha256(bytes);
    const path = this.path(scope, blob);
    const size = bytes.byteLength;
    if (!this.holds(path, bytes)) {
      const data = Buffer.from(bytes.buffer, bytes.byteOffset, size);
      disk.writeFileAtomic(path, data, { points: POINTS, ...(durability === 'power' && { sync: 'all' }) });
    }
    return { blob, size };
  }

  read(scope: string, blob: string): Buffer | undefined {
    if (!NAME.test(blob)) return undefined;
    const bytes = this.deps.disk.readFile(this.path(scope, blob));
    return bytes && sha256(bytes) === blob ? bytes : undefined;
  }

  /**
   * True when the file is there and is what it should be. Compared, not trusted, so that sending a file again heals one
   * that a power cut or a failing disk damaged.
   */
  private holds(path: string, bytes: Uint8Array): boolean {
    const { disk, durability } = this.deps;
    if (disk.size(path) !== bytes.byteLength || !disk.readFile(path)?.equals(bytes)) return false;
    // It may come from a process that died before its sync.
    if (durability === 'power') disk.syncPathNow(path);
    return true;
  }

  /** Removes what a crash left of unfinished writes. Before the first `put`. */
  clearLeftovers(scope: string): void {
    const { disk, folderOf } = this.deps;
    const folder = join(folderOf(scope), 'blobs');
    for (const name of disk.list(folder)) if (name.endsWith('.tmp')) disk.unlinkQuietly(join(folder, name));
  }

  private path(scope: string, blob: string): string {
    return join(this.deps.folderOf(scope), 'blobs', blob);
  }
}
