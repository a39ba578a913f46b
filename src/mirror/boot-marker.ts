// A small file beside the mirror that says in which boot of the machine it was opened. It is there while the mirror is
// open; found from an earlier boot, it means that the machine went down and unsynced pages may be missing.
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { uptime } from 'node:os';
import { dirname } from 'node:path';
import { makePrivateFile } from '../private-files.js';

/** The same for all processes between two starts of the machine. */
export function currentBoot(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    // Elsewhere the time of the boot, to ten minutes: a wrong guess costs one rebuild.
    return `started ${Math.round((Date.now() / 1000 - uptime()) / 600)}`;
  }
}

/** Synchronises a file or a folder to the disk, where the platform can. */
function sync(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } catch {
    // Some platforms refuse this for a folder or a read-only handle.
  } finally {
    closeSync(fd);
  }
}

export class BootMarker {
  private readonly path: string;

  constructor(
    private readonly file: string,
    private readonly boot: string,
  ) {
    this.path = `${file}.open`;
  }

  /** True when the mirror was left open by a machine that has since been restarted. */
  leftByEarlierBoot(): boolean {
    try {
      return readFileSync(this.path, 'utf8') !== this.boot;
    } catch {
      return false;
    }
  }

  /**
   * On the disk before the mirror's first write. Returns how to take it back when opening fails; a marker that was there
   * already stays, for it is about an earlier opening.
   */
  set(): () => void {
    const already = existsSync(this.path);
    makePrivateFile(this.path);
    const fd = openSync(this.path, 'w');
    writeSync(fd, this.boot);
    fsyncSync(fd);
    closeSync(fd);
    sync(dirname(this.path));
    return already ? () => {} : () => rmSync(this.path, { force: true });
  }

  /** Call after the connection is closed: closing any handle on its file would drop SQLite's locks. */
  clear(): void {
    sync(this.file);
    rmSync(this.path, { force: true });
  }
}
