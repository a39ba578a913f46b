// Sessions' transcripts, `<workspace>/.a2a/sessions/<file>.jsonl`: append-only, and a line that the file already holds is
// not written again, so that recovery may offer everything it knows.
import { dirname, join } from 'node:path';
import type { Disk, Durability } from '../disk.js';
import { AppError, isMissing } from '../errors.js';
import type { WorkspaceDirectory } from './directory.js';
import type { FileProblems } from './file-problems.js';
import { isSessionFile } from './names.js';
import { readTranscript, transcriptText, type TranscriptLine } from './transcript-file.js';

export type { TranscriptLine } from './transcript-file.js';

interface TranscriptsOptions {
  disk: Disk;
  workspaces: Pick<WorkspaceDirectory, 'path' | 'has'>;
  durability: Durability;
  problems?: FileProblems;
  /** How many tasks, over all files, the memory of what is already written may hold. */
  maxRemembered?: number;
}

const MAX_REMEMBERED = 20_000;
const EXTENSION = '.jsonl';
/** How a part names its stored file. Quotes within what somebody wrote are escaped, so no text looks like that. */
const BLOB = /"blob"\s*:\s*"([0-9a-f]{64})"/g;

/** What a file holds, for as long as its size is what it was. */
interface Known {
  size: number;
  /** True when the last line lacks its line end. */
  unended: boolean;
  /** taskId → highest n. */
  written: Map<string, number>;
}

export class Transcripts {
  /** By path, the least recently used first. */
  private readonly known = new Map<string, Known>();
  private remembered = 0;
  private readonly unsynced = new Set<string>();

  constructor(private readonly options: TranscriptsOptions) {}

  /**
   * Appends the lines that the file lacks, in one write, and returns how many those were. File and folder are made; a
   * workspace that its owner removed is not: then 0. `file` is what `sessionFile` returns. Throws `config` for a file of
   * a newer format, and the disk's own error; then the next call looks at the file afresh.
   */
  append(workspace: string, file: string, lines: readonly TranscriptLine[]): number {
    const path = this.path(workspace, file);
    const known = this.current(path);
    this.forget(path);
    const fresh = missing(lines, known.written);
    if (fresh.length > 0) {
      const bytes = Buffer.from(transcriptText(fresh, { header: known.size === 0, unended: known.unended }));
      if (!this.write(workspace, path, bytes)) return 0;
      known.size += bytes.length;
      known.unended = false;
      for (const line of fresh) remember(known.written, line);
    }
    this.keep(path, known);
    return fresh.length;
  }

  /**
   * All lines of a session, oldest first; none for a session that has none. Damaged lines are left out and reported.
   * Throws `config` for a file of a newer format.
   */
  read(workspace: string, file: string): TranscriptLine[] {
    const { lines, damaged } = readTranscript(
      this.options.disk.readFile(this.path(workspace, file)) ?? Buffer.alloc(0),
    );
    const problems = damaged.length === 0 ? [] : [`damaged lines are skipped: ${damaged.slice(0, 20).join(', ')}`];
    this.options.problems?.set(workspace, `sessions/${file}.jsonl`, problems);
    return lines;
  }

  /** Names of all transcripts of a workspace, unsorted, as `sessionFile` makes them. */
  list(workspace: string): string[] {
    const names = this.options.disk.list(join(this.options.workspaces.path(workspace), '.a2a', 'sessions'));
    return names.filter((name) => name.endsWith(EXTENSION)).map((name) => name.slice(0, -EXTENSION.length));
  }

  /** Names of all stored files that the transcript mentions, in damaged lines and those of a newer format, too. */
  blobs(workspace: string, file: string): string[] {
    const text = this.options.disk.readText(this.path(workspace, file)) ?? '';
    return [...new Set(Array.from(text.matchAll(BLOB), ([, name]) => name as string))];
  }

  /** Takes the transcript away; one that is not there is fine. */
  remove(workspace: string, file: string): void {
    const { disk, durability, problems } = this.options;
    const path = this.path(workspace, file);
    this.forget(path);
    disk.unlink(path);
    if (durability === 'power') this.unsynced.add(path);
    problems?.set(workspace, `sessions/${file}${EXTENSION}`, []);
    disk.failpoints.hit('purge.after-transcript');
  }

  /** With durability `power`: everything appended or removed before this call is on the medium once it resolves. */
  async sync(): Promise<void> {
    const paths = [...this.unsynced];
    this.unsynced.clear();
    try {
      // One after the other: the few threads behind file operations are the journal's, too.
      for (const path of paths) await this.options.disk.syncFile(path);
      for (const folder of new Set(paths.map((path) => dirname(path)))) await this.syncFolder(folder);
    } catch (error) {
      for (const path of paths) this.unsynced.add(path);
      throw error;
    }
  }

  private async syncFolder(folder: string): Promise<void> {
    try {
      await this.options.disk.syncFolder(folder);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  private path(workspace: string, file: string): string {
    if (!isSessionFile(file)) throw new AppError('not-found', 'There is no such session.');
    return join(this.options.workspaces.path(workspace), '.a2a', 'sessions', `${file}.jsonl`);
  }

  /** What the file holds now; a torn last line is cut off on the way. */
  private current(path: string): Known {
    const { disk } = this.options;
    const size = disk.size(path) ?? 0;
    const known = this.known.get(path);
    if (known?.size === size) return known;
    const bytes = (size > 0 && disk.readFile(path)) || Buffer.alloc(0);
    const content = readTranscript(bytes);
    if (content.soundBytes < bytes.length) disk.truncateFile(path, content.soundBytes);
    const written = new Map<string, number>();
    for (const line of content.lines) remember(written, line);
    return { size: content.soundBytes, unended: content.unended, written };
  }

  /** False when the workspace itself is gone. */
  private write(workspace: string, path: string, bytes: Buffer): boolean {
    const { disk, durability, workspaces } = this.options;
    disk.failpoints.hit('transcript.before-append');
    let fd: number;
    try {
      fd = disk.openAppend(path);
    } catch (error) {
      if (!isMissing(error)) throw error;
      if (!workspaces.has(workspace)) return false;
      disk.mkdirp(dirname(path), durability === 'power');
      fd = disk.openAppend(path);
    }
    try {
      disk.write(fd, bytes);
    } finally {
      disk.close(fd);
    }
    if (durability === 'power') this.unsynced.add(path);
    disk.failpoints.hit('transcript.after-append');
    return true;
  }

  private keep(path: string, known: Known): void {
    this.known.set(path, known);
    this.remembered += known.written.size;
    for (const oldest of this.known.keys()) {
      if (this.remembered <= (this.options.maxRemembered ?? MAX_REMEMBERED) || oldest === path) return;
      this.forget(oldest);
    }
  }

  private forget(path: string): void {
    this.remembered -= this.known.get(path)?.written.size ?? 0;
    this.known.delete(path);
  }
}

/** The lines beyond what was written, each identity once. */
function missing(lines: readonly TranscriptLine[], written: ReadonlyMap<string, number>): TranscriptLine[] {
  const highest = new Map<string, number>();
  return lines.filter((line) => {
    if (line.n <= (highest.get(line.taskId) ?? written.get(line.taskId) ?? 0)) return false;
    highest.set(line.taskId, line.n);
    return true;
  });
}

function remember(written: Map<string, number>, { taskId, n }: TranscriptLine): void {
  if (n > (written.get(taskId) ?? 0)) written.set(taskId, n);
}
