// The disk on node:fs. Invariant: what it makes is readable by its owner only.
import {
  closeSync,
  constants,
  fdatasync,
  fdatasyncSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
  truncateSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isMissing, systemCode } from './errors.js';
import { Disk } from './disk.js';

const unlessMissing = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
};

// Windows can't open folders for syncing; there NTFS journals their entries itself.
const FOLDERS_SYNC = process.platform !== 'win32';

export class NodeDisk extends Disk {
  openAppend(path: string): number {
    return openSync(path, 'a', 0o600);
  }

  createNew(path: string): number {
    return openSync(path, constants.O_CREAT | constants.O_EXCL | constants.O_APPEND | constants.O_WRONLY, 0o600);
  }

  openEmpty(path: string, mode: number): number {
    return openSync(path, 'w', mode);
  }

  write(fd: number, data: Buffer): void {
    // A nearly full disk takes a part first and says ENOSPC only on the next call.
    for (let done = 0; done < data.length;) done += writeSync(fd, data, done, data.length - done);
  }

  sync(fd: number): Promise<void> {
    return new Promise((resolve, reject) => {
      fdatasync(fd, (error) => (error ? reject(error) : resolve()));
    });
  }

  syncNow(fd: number): void {
    fdatasyncSync(fd);
  }

  close(fd: number): void {
    closeSync(fd);
  }

  async syncFile(path: string): Promise<void> {
    try {
      const file = await open(path, 'r+');
      try {
        await file.datasync();
      } finally {
        await file.close();
      }
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  async syncFolder(path: string): Promise<void> {
    if (!FOLDERS_SYNC) return;
    const folder = await open(path, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }

  syncFolderNow(path: string): void {
    if (!FOLDERS_SYNC) return;
    const fd = openSync(path, 'r');
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  }

  syncPathNow(path: string): void {
    const fd = openSync(path, 'r+');
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    this.syncFolderNow(dirname(path));
  }

  rename(from: string, to: string): void {
    renameSync(from, to);
  }

  unlink(path: string): void {
    unlessMissing(() => unlinkSync(path));
  }

  truncateFile(path: string, size: number): void {
    truncateSync(path, size);
  }

  mkdirp(path: string, sync = false): void {
    for (const folder of [dirname(path), path]) {
      if (!madeFolder(folder)) continue;
      if (sync) this.syncFolderNow(dirname(folder));
    }
  }

  readFile(path: string): Buffer | undefined {
    return unlessMissing(() => readFileSync(path));
  }

  readText(path: string): string | undefined {
    return unlessMissing(() => readFileSync(path, 'utf8'));
  }

  size(path: string): number | undefined {
    return statSync(path, { throwIfNoEntry: false })?.size;
  }

  stampFolder(path: string): string | undefined {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stat && `${stat.ino} ${stat.mtimeNs}`;
  }

  list(path: string): string[] {
    const entries = unlessMissing(() => readdirSync(path, { withFileTypes: true })) ?? [];
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  }
}

/** False when it is there already. */
function madeFolder(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}
