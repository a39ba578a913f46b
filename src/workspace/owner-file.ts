// One file that its owner edits with whatever tool: every `get` sees the file as it is now, at the price of one stat.
import { readFileSync, statSync, type BigIntStats } from 'node:fs';
import { systemCode } from '../errors.js';
import { withoutByteOrderMark } from '../read-json.js';
import { Freshness } from './freshness.js';
import { readDocument, type Reading } from './owner-json.js';

/** A file larger than this was not written by hand; reading it would stall every request. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Timestamps are coarser than writes are fast: a reading this close (ms) to a change proves nothing. */
const RACY_MS = 50;
/** Where the disk counts whole seconds only. */
const RACY_COARSE_MS = 2_000;

const code = (error: unknown): string => systemCode(error) ?? 'unknown error';

const same = (a: BigIntStats, b: BigIntStats): boolean =>
  a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs && a.size === b.size && a.ino === b.ino && a.dev === b.dev;

/** Measured on the host's own clock, because that is what the disk stamps files with. */
function isRacy(stat: BigIntStats, readAt: number): boolean {
  const margin = stat.ctimeNs % 1_000_000_000n === 0n ? RACY_COARSE_MS : RACY_MS;
  return Number(stat.ctimeMs) + margin >= readAt;
}

/** The text of an owner's file without its byte order mark, `missing`, or why it can't be read. */
type TextReading = { text: string } | { missing: true } | { problem: string };

function readText(path: string, stat: BigIntStats | undefined): TextReading {
  if (!stat) return { missing: true };
  // Opening a named pipe would block the process until somebody writes to it.
  if (!stat.isFile()) return { problem: 'is not a regular file' };
  if (stat.size > BigInt(MAX_BYTES)) return { problem: `is larger than ${MAX_BYTES} bytes` };
  try {
    return { text: withoutByteOrderMark(readFileSync(path, 'utf8')) };
  } catch (error) {
    return code(error) === 'ENOENT' ? { missing: true } : { problem: `can't be read (${code(error)})` };
  }
}

/** Reads a file once, uncached. Never throws. */
export function readOwnerText(path: string): TextReading {
  try {
    return readText(path, statSync(path, { bigint: true, throwIfNoEntry: false }));
  } catch (error) {
    return { problem: `can't be read (${code(error)})` };
  }
}

interface OwnerFileOptions<T> {
  path: string;
  /** How often to look; at every `get` when absent. */
  fresh?: Freshness;
  /** The member that a bare array stands for. */
  list?: string;
  /**
   * What a reading means; `last` is the value before. Called only after the file changed, so a new value tells that it
   * did. Decides itself whether a problem fails closed or keeps the last good state. Must not throw.
   */
  interpret(reading: Reading, last: T | undefined): T;
}

export class OwnerFile<T> {
  private seen: BigIntStats | undefined;
  private current: { value: T; text: TextReading } | undefined;
  /** True while the reading can't be trusted to show what the stat stands for. */
  private unsure = true;
  private lookedAt = -1;
  private readonly fresh: Freshness;

  constructor(private readonly options: OwnerFileOptions<T>) {
    this.fresh = options.fresh ?? new Freshness(false);
  }

  /** The file's meaning now. Never throws. */
  get(): T {
    const now = this.fresh.now();
    if (this.current && now === this.lookedAt) return this.current.value;
    this.lookedAt = now;
    let stat: BigIntStats | undefined;
    try {
      stat = statSync(this.options.path, { bigint: true, throwIfNoEntry: false });
    } catch (error) {
      this.unsure = true;
      return this.take({ problem: `can't be read (${code(error)})` });
    }
    if (this.current && !this.unsure && (stat && this.seen ? same(stat, this.seen) : stat === this.seen))
      return this.current.value;
    // The stat is taken before the reading: whatever changes in between makes the next stat differ.
    const readAt = Date.now();
    const reading = readText(this.options.path, stat);
    this.seen = stat;
    this.unsure = 'problem' in reading || (stat !== undefined && isRacy(stat, readAt));
    return this.take(reading);
  }

  private take(text: TextReading): T {
    const before = this.current;
    if (before && sameText(before.text, text)) return before.value;
    const value = this.options.interpret(this.document(text), before?.value);
    this.current = { value, text };
    return value;
  }

  private document(reading: TextReading): Reading {
    if ('text' in reading) return readDocument(reading.text, this.options.list);
    return 'problem' in reading ? { problem: reading.problem } : {};
  }
}

function sameText(a: TextReading, b: TextReading): boolean {
  if ('text' in a) return 'text' in b && a.text === b.text;
  return 'problem' in a ? 'problem' in b && a.problem === b.problem : 'missing' in b;
}
