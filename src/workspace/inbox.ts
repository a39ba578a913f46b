// Files that arrive for a workspace: `inbox/a2a-<caller>-<time>-<name>` with messages, `inbox/a2a/<task>/<name>` as results
// of other agents. Nothing is ever replaced, and nothing is written outside the workspace, whatever names and links say.
import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { CallerRef } from '../bus/topics.js';
import { randomId } from '../clock.js';
import { AppError, systemCode } from '../errors.js';
import type { WorkspaceDirectory } from './directory.js';
import { FolderUse } from './folder-use.js';
import { callerFilePart, isTaskId } from './names.js';
import { safeFileName, splitExtension } from './safe-file-name.js';
import type { StorageQuota } from './settings.js';

const FOLDER = 'inbox';
const RESULTS = 'a2a';
const MAX_SAME_NAME = 10_000;
const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

interface IncomingFile {
  caller: Pick<CallerRef, 'id'>;
  /** As the sender named it; anything. */
  filename?: string;
  bytes: Uint8Array;
  /** Milliseconds since the epoch. */
  at: number;
}

/** `2026-01-31T12:34:56.789Z` → `20260131T123456Z`. */
const stamp = (at: number): string => `${new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;

interface InboxOptions {
  workspaces: Pick<WorkspaceDirectory, 'path'>;
  /** What a workspace's inbox may hold; without limit when absent. */
  limits?(workspace: string): Pick<StorageQuota, 'inboxFiles' | 'inboxBytes'>;
}

/** A full inbox is counted anew after this long (ms), for files that went from folders in it. */
const AGAIN_MS = 10_000;

export class Inbox {
  private readonly use = new FolderUse();

  constructor(private readonly options: InboxOptions) {}

  /**
   * Saves the bytes with mode 0600 and returns the path relative to the workspace, with `/`. A name that is taken gets
   * `-2`, `-3` and so on. Throws `quota` when the inbox is full, `config` when `inbox` is a link or no folder, and the file system's own error
   * otherwise; a file that could not be written whole is removed.
   */
  save(workspace: string, { caller, filename, bytes, at }: IncomingFile): string {
    const folder = this.folder(workspace);
    this.mustHaveRoom(folder, workspace, bytes.length, at);
    const prefix = `a2a-${callerFilePart(caller.id, workspace)}-${stamp(at)}-`;
    const [stem, extension] = splitExtension(safeFileName(filename ?? ''));
    for (let number = 1; number <= MAX_SAME_NAME; number += 1) {
      const name = `${prefix}${stem}${number === 1 ? '' : `-${number}`}${extension}`;
      if (!writeNew(folder, name, bytes)) continue;
      this.use.added(folder, bytes.length);
      return `${FOLDER}/${name}`;
    }
    throw new AppError('storage-failed', 'The inbox holds too many files of that name.');
  }

  private mustHaveRoom(folder: string, workspace: string, size: number, now: number): void {
    const limits = this.options.limits?.(workspace);
    if (!limits) return;
    const isFull = (notBefore?: number): boolean => {
      const { files, bytes } = this.use.of(folder, now, notBefore);
      return files >= limits.inboxFiles || bytes + size > limits.inboxBytes;
    };
    if (isFull() && isFull(now - AGAIN_MS)) {
      throw new AppError('quota', "The workspace's inbox is full: its owner has to make room.");
    }
  }

  /**
   * Saves what another agent answered, below `inbox/a2a/<task>/`; returns the path as `save` does. The same bytes under
   * the same name are saved once, however often they come; other bytes get `-2`, `-3` and so on. A file that is there is
   * whole. `task` must be a task's or message's id of this switchboard. Throws like `save`.
   */
  keep(workspace: string, task: string, { filename, bytes, at }: Omit<IncomingFile, 'caller'>): string {
    if (!isTaskId(task)) throw new AppError('invalid-params', 'The task has no valid id.');
    const inbox = this.folder(workspace);
    // What was made deeper down is not in the count: these files are few enough to count them each time.
    this.use.of(inbox, at, Infinity);
    this.mustHaveRoom(inbox, workspace, bytes.length, at);
    const folder = this.folder(workspace, RESULTS, task);
    const [stem, extension] = splitExtension(safeFileName(filename ?? ''));
    const partial = `.partial-${randomId()}`;
    writeNew(folder, partial, bytes);
    try {
      for (let number = 1; number <= MAX_SAME_NAME; number += 1) {
        const name = `${stem}${number === 1 ? '' : `-${number}`}${extension}`;
        if (linkNew(folder, partial, name) || holds(join(folder, name), bytes)) {
          return [FOLDER, RESULTS, task, name].join('/');
        }
      }
    } finally {
      rmSync(join(folder, partial), { force: true });
    }
    throw new AppError('storage-failed', 'The inbox holds too many files of that name.');
  }

  /** The folder's path without links in it; makes the folder. */
  private folder(workspace: string, ...below: string[]): string {
    let folder = realpathSync(this.options.workspaces.path(workspace));
    for (const name of [FOLDER, ...below]) {
      folder = join(folder, name);
      try {
        mkdirSync(folder, { mode: 0o700 });
      } catch (error) {
        if (systemCode(error) !== 'EEXIST') throw error;
      }
      assertRealFolder(folder);
    }
    return folder;
  }
}

/** False when the name is taken. */
function linkNew(folder: string, from: string, name: string): boolean {
  try {
    linkSync(join(folder, from), join(folder, name));
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** True for a regular file with just these bytes. */
function holds(path: string, bytes: Uint8Array): boolean {
  const known = lstatSync(path, { throwIfNoEntry: false });
  return known !== undefined && known.isFile() && known.size === bytes.length && readFileSync(path).equals(bytes);
}

/** A link could lead anywhere, and at any moment somewhere else. */
function assertRealFolder(folder: string): void {
  if (!lstatSync(folder).isDirectory())
    throw new AppError('config', `The workspace's ${FOLDER} must be a folder of its own, not a link or a file.`);
}

/** False when the name is taken. */
function writeNew(folder: string, name: string, bytes: Uint8Array): boolean {
  const path = join(folder, name);
  let fd: number;
  try {
    fd = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
  try {
    // Had the folder been swapped for a link just before the file was made, this would not be our file's place.
    assertRealFolder(folder);
    if (realpathSync(path) !== path || lstatSync(path).ino !== fstatSync(fd).ino)
      throw new AppError('config', `The workspace's ${FOLDER} changed while a file was saved.`);
    for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
  return true;
}
