// Changes an owner's JSON file under a lock and in one step: readers see the old content or the new, and whatever the
// program does not know in it survives.
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fdatasyncSync,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import { AppError, isMissing, systemCode } from '../errors.js';
import { withFileLock } from './file-lock.js';
import { readOwnerText } from './owner-file.js';
import { readDocument, writeDocument, type Document } from './owner-json.js';

interface RewriteOptions {
  /** The member that a bare array stands for. */
  list?: string;
  /** Called when the new content is written but not in place yet, and when it is; a test can stop the process there. */
  beforeRename?: () => void;
  afterRename?: () => void;
}

/**
 * Hands the file's document to `change`, which edits it in place, and stores it with mode 0600. A missing file is an
 * empty document; its folder is made if the folder above exists. Throws `config` for a file that can't be read as it is
 * (nothing is overwritten), `storage-failed` when another process keeps it locked, and what `change` throws.
 */
export async function rewriteOwnerFile<T>(
  path: string,
  change: (document: Document) => T,
  options: RewriteOptions = {},
): Promise<T> {
  try {
    mkdirSync(dirname(path), { mode: 0o700 });
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
  // A link is followed here, or the rename would replace the link and leave the owner's real file behind.
  const target = resolveLink(path);
  return withFileLock(target, (lock) => {
    const document = currentDocument(target, options.list);
    const result = change(document);
    replaceFile(target, writeDocument(document), () => {
      lock.assertHeld();
      options.beforeRename?.();
    });
    options.afterRename?.();
    return result;
  });
}

function resolveLink(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (isMissing(error)) return path;
    throw error;
  }
}

function currentDocument(path: string, list: string | undefined): Document {
  const text = readOwnerText(path);
  if ('missing' in text) return {};
  const reading = 'problem' in text ? text : readDocument(text.text, list);
  if ('problem' in reading && reading.problem !== undefined)
    throw new AppError('config', `${basename(path)} ${reading.problem}; it must be repaired before it can be changed.`);
  return ('document' in reading && reading.document) || {};
}

/** Writes beside the file, makes it durable, renames. `beforeRename` may throw to call it off. */
function replaceFile(path: string, text: string, beforeRename: () => void): void {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    const fd = openSync(temporary, 'wx', 0o600);
    try {
      writeFileSync(fd, text);
      fdatasyncSync(fd);
    } finally {
      closeSync(fd);
    }
    beforeRename();
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncFolder(dirname(path));
}

/** Makes the names in a folder durable; where folders can't be synced, the rename alone has to do. */
function syncFolder(folder: string): void {
  try {
    const fd = openSync(folder, 'r');
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    const code = systemCode(error);
    if (code !== 'EISDIR' && code !== 'EPERM' && code !== 'EINVAL') throw error;
  }
}
