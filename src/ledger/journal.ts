// The write-ahead journal of one scope. Invariants: entries are committed in the order they were appended, one write
// per event-loop tick; a callback runs only when its entry is as durable as configured; an error leaves no trace.
import { join } from 'node:path';
import { AppError, errorText, isMissing } from '../errors.js';
import { journalPath, type JournalFolder } from './journal-folder.js';
import type { JournalEntry, PurgedEntry } from './records.js';
import { Segment, headerLine, segmentName, segmentNumber } from './segment.js';
import { SegmentRetirement } from './segment-retirement.js';

/** Called once per entry; with an AppError `storage-failed` when the entry is not, and never will be, in the journal. */
type Settled = (error?: Error) => void;

interface Group {
  text: string;
  entries: (JournalEntry | PurgedEntry)[];
  settled: Settled[];
  flushed: (() => void)[];
}

const SEGMENT_BYTES = 8 * 1024 * 1024;
const emptyGroup = (): Group => ({ text: '', entries: [], settled: [], flushed: [] });

export class Journal {
  private gathering = emptyGroup();
  private scheduled = false;
  /** The group whose sync is under way. */
  private syncing: Group | undefined;
  private segment: Segment | undefined;
  private nextNumber: number | undefined;
  /** What the next segment must say about earlier ones (see SegmentHeader). */
  private readonly cuts = new Map<string, number>();
  private readonly retirement: SegmentRetirement;
  private closed = false;
  /** With `power`: the journal's folder is known to be on the medium. */
  private placed = false;
  private readonly commitSoon = (): void => this.commit();

  constructor(
    private readonly folder: JournalFolder,
    private readonly segmentBytes = SEGMENT_BYTES,
  ) {
    this.retirement = new SegmentRetirement(folder);
  }

  /**
   * Takes an entry for the next group. Throws, and takes nothing, only for what JSON can't express. After an error,
   * entries appended before their predecessors' callbacks ran have failed too, so a task's sequence never has a gap.
   */
  append(entry: JournalEntry | PurgedEntry, settled: Settled): void {
    const line = JSON.stringify(entry);
    const group = this.gathering;
    group.text += line;
    group.text += '\n';
    group.entries.push(entry);
    group.settled.push(settled);
    this.schedule();
  }

  /** The task's file now holds everything up to `seq`; segments that nobody needs any more are removed. */
  checkpointed(taskId: string, seq: number): void {
    this.segment?.checkpointed(taskId, seq);
    this.retirement.checkpointed(taskId, seq);
  }

  /**
   * True when every entry of this task is in a segment that stays for now, so that a damaged checkpoint could be rebuilt
   * from here. When false, the checkpoint holds what nothing else does: with `power` it may be replaced only by one that
   * was synced first.
   */
  holdsAll(taskId: string): boolean {
    return this.segment?.begins(taskId) === true || this.retirement.begins(taskId);
  }

  /** Resolves, never rejects, when the callbacks of everything appended so far have run. */
  flush(): Promise<void> {
    const last = this.gathering.entries.length > 0 ? this.gathering : this.syncing;
    return last ? new Promise((resolve) => last.flushed.push(resolve)) : Promise.resolve();
  }

  /** Commits what was appended, removes what is no longer needed and closes. Later appends fail. */
  async close(): Promise<void> {
    while (this.gathering.entries.length > 0 || this.syncing) await this.flush();
    this.closed = true;
    this.closeSegment();
    await this.retirement.finished();
  }

  private schedule(): void {
    if (this.scheduled || this.syncing) return;
    this.scheduled = true;
    setImmediate(this.commitSoon);
  }

  private commit(): void {
    this.scheduled = false;
    const group = this.gathering;
    this.gathering = emptyGroup();
    try {
      if (this.closed) throw new Error('the journal is closed');
      this.write(group);
    } catch (error) {
      return this.failed(group, error);
    }
    if (this.folder.durability === 'process') return this.committed(group);
    this.syncing = group;
    this.sync().then(
      () => this.committed(group),
      (error: unknown) => this.failed(group, error),
    );
  }

  private write(group: Group): void {
    const { disk } = this.folder;
    const segment = (this.segment ??= this.openSegment());
    const data = Buffer.from(segment.size === 0 ? headerLine(this.cuts) + group.text : group.text);
    disk.failpoints.hit('journal.before-write');
    if (disk.failpoints.reached('journal.torn-write')) {
      disk.write(segment.fd, data.subarray(0, data.length >> 1));
      disk.failpoints.die();
    }
    disk.write(segment.fd, data);
    disk.failpoints.hit('journal.after-write');
    segment.uncommitted = data.length;
    this.folder.grew?.(data.length);
  }

  private async sync(): Promise<void> {
    const { disk, dir } = this.folder;
    const { fd, size } = this.segment as Segment;
    await disk.sync(fd);
    if (size === 0) {
      // Once per process also the folders above: whoever made the scope may not have synced it.
      if (this.placed) await disk.syncFolder(journalPath(dir));
      else await disk.syncFolderAndAbove(journalPath(dir));
      this.placed = true;
    }
    disk.failpoints.hit('journal.after-sync');
  }

  private openSegment(): Segment {
    const { disk, dir } = this.folder;
    const journal = journalPath(dir);
    this.nextNumber ??= 1 + Math.max(0, ...disk.list(journal).map((name) => segmentNumber(name) ?? 0));
    const name = segmentName(this.nextNumber);
    const path = join(journal, name);
    let fd: number;
    try {
      fd = disk.createNew(path);
    } catch (error) {
      if (!isMissing(error)) throw error;
      disk.mkdirp(journal);
      fd = disk.createNew(path);
    }
    this.nextNumber++;
    disk.failpoints.hit('segment.created');
    return new Segment(name, path, fd);
  }

  private committed(group: Group): void {
    const segment = this.segment as Segment;
    if (segment.size === 0) this.cuts.clear();
    segment.size += segment.uncommitted;
    segment.took(group.entries);
    if (segment.size >= this.segmentBytes) this.closeSegment();
    this.syncing = undefined;
    this.settle(group, undefined);
    if (this.gathering.entries.length > 0) this.schedule();
  }

  private failed(group: Group, cause: unknown): void {
    this.folder.log.error({ dir: this.folder.dir, reason: errorText(cause) }, 'the journal could not be written');
    this.abandonSegment();
    this.syncing = undefined;
    const later = this.gathering;
    this.gathering = emptyGroup();
    const error = new AppError('storage-failed', 'The task could not be stored; nothing was accepted.', {}, { cause });
    this.settle(group, error);
    if (later.entries.length > 0) this.settle(later, error);
  }

  private settle(group: Group, error: Error | undefined): void {
    for (const settled of group.settled) {
      try {
        settled(error);
      } catch (thrown) {
        this.folder.log.error({ err: thrown }, 'a commit was not taken note of');
      }
    }
    for (const resolve of group.flushed) resolve();
  }

  private closeSegment(): void {
    const { segment } = this;
    if (!segment) return;
    this.segment = undefined;
    this.folder.disk.closeQuietly(segment.fd);
    this.retirement.add(segment);
  }

  /**
   * After an error the segment ends at its last good byte. Since the cut itself may fail or not survive, the next
   * segment says where it is; and no write goes to a file again whose sync failed once.
   */
  private abandonSegment(): void {
    const { segment } = this;
    if (!segment) return;
    this.segment = undefined;
    const { disk, dir } = this.folder;
    disk.closeQuietly(segment.fd);
    try {
      // Without a single good byte it simply goes; the sync of the folder before the next commit covers that.
      if (segment.size === 0) return disk.unlink(segment.path);
      disk.truncateFile(segment.path, segment.size);
    } catch (error) {
      this.folder.log.warn(
        { dir, file: segment.name, reason: errorText(error) },
        'a failed write could not be cut off',
      );
    }
    this.cuts.set(segment.name, segment.size);
    this.retirement.add(segment);
  }
}
