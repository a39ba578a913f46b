// Reads a scope's journal after a restart. Invariant: what was committed comes back in order; what was torn, cut off or
// damaged does not, and only real damage is reported.
import { join } from 'node:path';
import { AppError } from '../errors.js';
import { isObject, parseJson } from '../read-json.js';
import { isTaskId } from '../workspace/names.js';
import { journalPath, removeSegment, type JournalFolder } from './journal-folder.js';
import { RECORD_VERSION, type JournalEntry, type PurgedEntry } from './records.js';
import { segmentNumber, type SegmentHeader } from './segment.js';

/** A line that is no entry. Never holds the line itself: it may contain a caller's words. */
export interface DamagedLine {
  file: string;
  /** From 1. */
  line: number;
  problem: string;
}

interface RecoveredJournal {
  /** Without those of purged tasks: whatever was written about them before is over. */
  entries: JournalEntry[];
  purged: PurgedEntry[];
  /** Names of the segments they came from, oldest first. */
  segments: string[];
}

const NEWLINE = 10;
const POINTS = { before: 'recovery.before-unlink', after: 'recovery.after-unlink' } as const;

/**
 * All entries of a scope's journal. An unfinished last line is cut off in silence. An entry whose predecessors are
 * missing is returned like any other: whoever folds them compares positions. Throws AppError `config` when a segment
 * was written by a newer version.
 */
export function readJournal(
  { disk, dir }: Pick<JournalFolder, 'disk' | 'dir'>,
  report: (damage: DamagedLine) => void,
): RecoveredJournal {
  const folder = journalPath(dir);
  const segments = disk.list(folder).filter((name) => segmentNumber(name) !== undefined);
  segments.sort();
  // Newest first, because a segment's first line may say how much of an earlier one counts.
  const cuts = new Map<string, number>();
  const read: (JournalEntry | PurgedEntry)[][] = [];
  for (const name of segments.toReversed()) {
    const path = join(folder, name);
    const content = (disk.readFile(path) ?? Buffer.alloc(0)).subarray(0, cuts.get(name));
    const end = content.lastIndexOf(NEWLINE) + 1;
    if (end < content.length) {
      if (name !== segments.at(-1)) report({ file: path, line: countLines(content) + 1, problem: 'unfinished line' });
      else {
        disk.truncateFile(path, end);
        disk.failpoints.hit('recovery.after-truncate');
      }
    }
    read.push(parseSegment(path, content.toString('utf8', 0, end), cuts, report));
  }
  return { ...withoutPurged(read.reverse().flat()), segments };
}

function withoutPurged(all: readonly (JournalEntry | PurgedEntry)[]): Omit<RecoveredJournal, 'segments'> {
  const purged = all.filter(isPurge);
  const gone = new Set(purged.map(({ taskId }) => taskId));
  const entries = all.filter((entry): entry is JournalEntry => !gone.has(entry.taskId));
  return { entries, purged };
}

const isPurge = (entry: JournalEntry | PurgedEntry): entry is PurgedEntry => entry.event.type === 'purged';

/**
 * Deletes what `readJournal` found, once the folded tasks are in their checkpoints. With `power` those are synced
 * first, also the ones that were up to date already: an earlier process may have left them unsynced.
 */
export async function removeSegments(
  folder: JournalFolder,
  { entries, purged, segments }: RecoveredJournal,
): Promise<void> {
  if (segments.length === 0) return;
  await folder.checkpoints.sync(new Set([...entries, ...purged].map((entry) => entry.taskId)));
  for (const name of segments) await removeSegment(folder, name, POINTS);
}

function parseSegment(
  file: string,
  text: string,
  cuts: Map<string, number>,
  report: (damage: DamagedLine) => void,
): (JournalEntry | PurgedEntry)[] {
  const entries: (JournalEntry | PurgedEntry)[] = [];
  if (text === '') return entries;
  const lines = text.split('\n');
  // Text that ends in a newline leaves an empty string behind it.
  for (let i = 0; i < lines.length - 1; i++) {
    const value = parseJson(lines[i] as string);
    if (isEntry(value)) entries.push(value);
    else if (i > 0) report({ file, line: i + 1, problem: 'not a journal entry' });
    else if (isHeader(value)) takeHeader(file, value, cuts);
    else report({ file, line: 1, problem: 'not a journal header' });
  }
  return entries;
}

function takeHeader(file: string, header: SegmentHeader, cuts: Map<string, number>): void {
  if (header.v > RECORD_VERSION) {
    throw new AppError(
      'config',
      `${file} was written by a newer version of the switchboard (format ${header.v}; this one reads ${RECORD_VERSION}).`,
    );
  }
  for (const [name, bytes] of Object.entries(header.cuts ?? {})) {
    // The earliest cut of a segment holds: nothing good was ever written after it.
    cuts.set(name, Math.min(bytes, cuts.get(name) ?? bytes));
  }
}

const isHeader = (value: unknown): value is SegmentHeader & Record<string, unknown> =>
  isObject(value) && value.kind === 'journal' && typeof value.v === 'number';

function isEntry(value: unknown): value is JournalEntry | PurgedEntry {
  if (!isObject(value) || !isObject(value.event)) return false;
  const { taskId, seq, at, event } = value;
  return (
    typeof taskId === 'string' &&
    isTaskId(taskId) &&
    Number.isSafeInteger(seq) &&
    (seq as number) > 0 &&
    typeof at === 'number' &&
    typeof event.type === 'string' &&
    (event.type !== 'purged' || isPurgedEvent(event))
  );
}

const isPurgedEvent = ({ caller, agent, contextId, blobs }: Record<string, unknown>): boolean =>
  Array.isArray(blobs) && [caller, agent, contextId, ...blobs].every((member) => typeof member === 'string');

function countLines(content: Buffer): number {
  let lines = 0;
  for (let at = content.indexOf(NEWLINE); at >= 0; at = content.indexOf(NEWLINE, at + 1)) lines++;
  return lines;
}
