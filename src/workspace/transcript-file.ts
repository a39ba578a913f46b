// One transcript file's bytes as lines, and back: pure. A last line that was never finished does not count; a damaged
// one elsewhere is left out and reported.
import type { Part } from '../a2a-model.js';
import { isObject, parseJson } from '../read-json.js';
import { AppError } from '../errors.js';
import { FILE_VERSION } from './owner-json.js';

/**
 * A line of a session's transcript. (taskId, n) is its identity: a line is written again after a crash only if the file
 * lacks it.
 */
export interface TranscriptLine {
  taskId: string;
  /** From 1 within the task, in order. */
  n: number;
  /** The task's turn that it belongs to, from 1. */
  turn: number;
  /** Milliseconds since the epoch. */
  at: number;
  role: 'user' | 'assistant' | 'tool' | 'operator';
  /** What was said; for `tool` the tool's name. */
  text: string;
  /** The parts of a user's message. */
  parts?: Part[];
}

export const TRANSCRIPT_HEADER = `${JSON.stringify({ v: FILE_VERSION, kind: 'transcript' })}\n`;
const NEWLINE = 0x0a;
const ROLES: ReadonlySet<unknown> = new Set<TranscriptLine['role']>(['user', 'assistant', 'tool', 'operator']);

interface TranscriptContent {
  lines: TranscriptLine[];
  /** Numbers, from 1, of lines that are none. */
  damaged: number[];
  /** Bytes that may stay: what follows is a torn line. */
  soundBytes: number;
  /** True when the last line is whole but for its line end. */
  unended: boolean;
}

const isLine = (value: unknown): value is TranscriptLine =>
  isObject(value) &&
  typeof value['taskId'] === 'string' &&
  Number.isSafeInteger(value['n']) &&
  Number.isSafeInteger(value['turn']) &&
  typeof value['at'] === 'number' &&
  ROLES.has(value['role']) &&
  typeof value['text'] === 'string' &&
  (value['parts'] === undefined || Array.isArray(value['parts']));

/** Throws `config` for a file of a newer format. */
export function readTranscript(bytes: Buffer): TranscriptContent {
  const content: TranscriptContent = { lines: [], damaged: [], soundBytes: bytes.length, unended: false };
  for (let start = 0, number = 1; start < bytes.length; number += 1) {
    const end = bytes.indexOf(NEWLINE, start);
    const text = bytes.toString('utf8', start, end < 0 ? bytes.length : end);
    const value = parseJson(text);
    if (end < 0) {
      // No beginning of a JSON object is itself one: what parses is all there was to write, save the line end.
      if (!isObject(value)) return { ...content, soundBytes: start };
      content.unended = true;
    }
    if (number === 1 && isObject(value) && 'v' in value) checkVersion(value['v']);
    else if (isLine(value)) content.lines.push(value);
    else if (text.trim() !== '') content.damaged.push(number);
    start = end < 0 ? bytes.length : end + 1;
  }
  return content;
}

function checkVersion(v: unknown): void {
  if (typeof v === 'number' && v <= FILE_VERSION) return;
  throw new AppError(
    'config',
    `The transcript has format version ${String(v)}; this program reads up to ${FILE_VERSION}.`,
  );
}

/** What to write at the end of a file so that these lines follow what it holds. */
export const transcriptText = (
  lines: readonly TranscriptLine[],
  options: { header: boolean; unended: boolean },
): string =>
  `${options.header ? TRANSCRIPT_HEADER : ''}${options.unended ? '\n' : ''}${lines.map((line) => `${JSON.stringify(line)}\n`).join('')}`;
