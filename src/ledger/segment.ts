// One file of a journal: its name, its first line, and what its entries still wait for.
import { RECORD_VERSION, type JournalEntry, type PurgedEntry } from './records.js';

export interface SegmentHeader {
  v: number;
  kind: 'journal';
  /**
   * Earlier segments of which only so many bytes count: what follows was answered with an error, and may have
   * outlived the attempt to cut it off.
   */
  cuts?: Record<string, number>;
}

const NAME = /^(\d{10})\.jsonl$/;

export const segmentName = (number: number): string => `${String(number).padStart(10, '0')}.jsonl`;

/** The number in a segment's name; undefined for any other file. */
export function segmentNumber(name: string): number | undefined {
  const match = NAME.exec(name);
  return match ? Number(match[1]) : undefined;
}

export function headerLine(cuts: ReadonlyMap<string, number>): string {
  const header: SegmentHeader = {
    v: RECORD_VERSION,
    kind: 'journal',
    ...(cuts.size > 0 && { cuts: Object.fromEntries(cuts) }),
  };
  return `${JSON.stringify(header)}\n`;
}

/** A segment this process writes or has written. */
export class Segment {
  /** Bytes that count: all committed groups. */
  size = 0;
  /** Bytes written after them whose commit is not complete. */
  uncommitted = 0;
  /** Per task the highest position written here that its checkpoint, or its purge, has not taken in yet. */
  private readonly waiting = new Map<string, number>();
  /** Tasks whose history begins here. */
  private readonly created = new Set<string>();

  constructor(
    readonly name: string,
    readonly path: string,
    readonly fd: number,
  ) {}

  /** Takes note of committed entries. */
  took(entries: readonly (JournalEntry | PurgedEntry)[]): void {
    for (const { taskId, seq, event } of entries) {
      this.waiting.set(taskId, seq);
      if (event.type === 'created') this.created.add(taskId);
    }
  }

  checkpointed(taskId: string, seq: number): void {
    const highest = this.waiting.get(taskId);
    if (highest !== undefined && highest <= seq) this.waiting.delete(taskId);
  }

  /** True when every entry is also in a checkpoint. */
  get settled(): boolean {
    return this.waiting.size === 0;
  }

  begins(taskId: string): boolean {
    return this.created.has(taskId);
  }
}
