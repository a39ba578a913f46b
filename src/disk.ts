// The few file operations that durability rests on, as one port; everything written belongs to its owner alone.
import { dirname } from 'node:path';
import { isMissing, systemCode } from './errors.js';
import type { Failpoint, Failpoints } from './failpoints.js';

export type Durability = 'process' | 'power';

/** The places an atomic write passes, when they are crash points. */
interface AtomicPoints {
  before: Failpoint;
  temp: Failpoint;
  renamed: Failpoint;
}

interface AtomicOptions {
  /** `file`: the content is on the medium before the rename; `all`: the rename is, too, before the call returns. */
  sync?: 'file' | 'all';
  points?: AtomicPoints;
  /** Permission bits; 0600 when absent. */
  mode?: number;
}

/**
 * Synchronous except where a method returns a promise. Errors are those of node:fs, except where a missing file has an
 * answer of its own. A process crash keeps whatever returned; a power cut keeps what a sync covered.
 */
export abstract class Disk {
  constructor(readonly failpoints: Failpoints) {}

  /** Opens for appending, making the file if need be. */
  abstract openAppend(path: string): number;
  /** Makes a file that must not exist yet, open for appending. */
  abstract createNew(path: string): number;
  /** Opens empty for writing, replacing what is there. */
  abstract openEmpty(path: string, mode: number): number;
  /** Writes all bytes or throws; after a throw some of them may be in the file. */
  abstract write(fd: number, data: Buffer): void;
  /** Puts the file's content on the medium, off the main thread. */
  abstract sync(fd: number): Promise<void>;
  abstract syncNow(fd: number): void;
  abstract close(fd: number): void;
  /** `sync` for a file that is not open. Resolves for a missing file. */
  abstract syncFile(path: string): Promise<void>;
  /** Puts a folder's entries (creations, renames, removals) on the medium. */
  abstract syncFolder(path: string): Promise<void>;
  abstract syncFolderNow(path: string): void;
  /** A closed file's content and its name, before the call returns. */
  abstract syncPathNow(path: string): void;
  /** Replaces `to`. */
  abstract rename(from: string, to: string): void;
  /** A missing file is fine. */
  abstract unlink(path: string): void;
  abstract truncateFile(path: string, size: number): void;
  /**
   * Makes the folder and, if need be, the one it is in (0700); never more, so that a workspace its owner took away does
   * not come back. With `sync` they are on the medium before the call returns.
   */
  abstract mkdirp(path: string, sync?: boolean): void;
  /** Undefined for a missing file. */
  abstract readFile(path: string): Buffer | undefined;
  /** As UTF-8; undefined for a missing file. */
  abstract readText(path: string): string | undefined;
  /** Changes whenever a name in the folder comes, goes or moves; undefined when that can't be told. */
  abstract stampFolder(path: string): string | undefined;
  /** Bytes; undefined for a missing file. */
  abstract size(path: string): number | undefined;
  /** Names of regular files in a folder, unsorted; empty for a missing folder. */
  abstract list(path: string): string[];

  /**
   * Replaces a file in one step by way of `<path>.tmp`; makes the folder if it is missing. At any moment the path shows
   * the old content or the new. One writer per path. When it throws, the old content is untouched.
   */
  writeFileAtomic(path: string, data: string | Buffer, options: AtomicOptions = {}): void {
    const { points } = options;
    const temp = `${path}.tmp`;
    if (points) this.failpoints.hit(points.before);
    const fd = this.openEmptyInFolder(temp, options);
    try {
      try {
        this.write(fd, typeof data === 'string' ? Buffer.from(data) : data);
        if (options.sync) this.syncNow(fd);
      } finally {
        this.close(fd);
      }
      if (points) this.failpoints.hit(points.temp);
      this.rename(temp, path);
    } catch (error) {
      this.unlinkQuietly(temp);
      throw error;
    }
    if (points) this.failpoints.hit(points.renamed);
    if (options.sync === 'all') this.syncFolderNow(dirname(path));
  }

  /**
   * `syncFolder` for a folder and all above it, which may have been made a moment ago; it stops at one that this user
   * may not open, since that one is older than the process.
   */
  async syncFolderAndAbove(path: string): Promise<void> {
    await this.syncFolder(path);
    for (let child = path, folder = dirname(path); folder !== child; child = folder, folder = dirname(folder)) {
      try {
        await this.syncFolder(folder);
      } catch (error) {
        if (isDenied(error)) return;
        throw error;
      }
    }
  }

  /**
   * Makes a file that does not exist yet, straight under its name: half the price of `writeFileAtomic`, but a crash may
   * leave it unfinished, so only for what can be told from somewhere else. Throws EEXIST when there is one already.
   */
  writeFileNew(path: string, data: string, points: AtomicPoints): void {
    this.failpoints.hit(points.before);
    const fd = this.createNew(path);
    try {
      this.failpoints.hit(points.temp);
      this.write(fd, Buffer.from(data));
    } catch (error) {
      this.unlinkQuietly(path);
      throw error;
    } finally {
      this.closeQuietly(fd);
    }
    this.failpoints.hit(points.renamed);
  }

  private openEmptyInFolder(path: string, options: AtomicOptions): number {
    const mode = options.mode ?? 0o600;
    try {
      return this.openEmpty(path, mode);
    } catch (error) {
      if (!isMissing(error)) throw error;
      this.mkdirp(dirname(path), options.sync !== undefined);
      return this.openEmpty(path, mode);
    }
  }

  /** For files whose content is already where it has to be. */
  closeQuietly(fd: number): void {
    try {
      this.close(fd);
    } catch {
      // The number is free either way.
    }
  }

  /** For clearing away after a failure, when a second failure must not hide the first. */
  unlinkQuietly(path: string): void {
    try {
      this.unlink(path);
    } catch {
      // What is left behind is removed as a leftover at the next start.
    }
  }
}

const isDenied = (error: unknown): boolean => ['EACCES', 'EPERM'].includes(systemCode(error) ?? '');
