// A message as a session reads it: its words, and its other parts as things that can be put into words.
import type { BlobPart, Message, Part, TextPart, UrlPart } from '../../../src/a2a-model.js';
import type { Attachment } from '../../../src/authoring/driver.js';
import { RunFailure } from '../../../src/executors/contract.js';

/** A file that was saved below the workspace. */
interface SavedFile {
  /** Relative to the workspace. */
  path: string;
  mediaType?: string;
  /** Bytes. */
  size: number;
}

export interface Intake {
  /** Saves the part's bytes and returns the path relative to the workspace, or undefined when the bytes are gone. */
  save(part: BlobPart): string | undefined;
  /** Fetches what the part points to and saves it. Throws a RunFailure when that can't be done. */
  download(part: UrlPart): Promise<SavedFile>;
}

/** Files of one message, at most. */
const MAX_FILES = 50;

/**
 * The parts of a message other than its words, in order. Files are saved on the way, one after the other. Throws a
 * RunFailure before anything is saved when there are too many.
 */
export async function readAttachments(message: Message, intake: Intake): Promise<Attachment[]> {
  const files = message.parts.filter((part) => 'url' in part || 'blob' in part).length;
  if (files > MAX_FILES) throw new RunFailure(`A message may bring ${MAX_FILES} files at most.`, 'too-many-files');
  const attachments: Attachment[] = [];
  for (const part of message.parts) if (!('text' in part)) attachments.push(await readPart(part, intake));
  return attachments;
}

async function readPart(part: Exclude<Part, TextPart>, intake: Intake): Promise<Attachment> {
  if ('data' in part) return { kind: 'data', json: JSON.stringify(part.data, null, 2) };
  if ('url' in part) {
    const { path, size, mediaType = 'application/octet-stream' } = await intake.download(part);
    return { kind: 'file', path, mediaType, size };
  }
  const path = intake.save(part);
  if (path === undefined) return { kind: 'missing', name: part.filename ?? 'without a name' };
  return { kind: 'file', path, mediaType: part.mediaType ?? 'application/octet-stream', size: part.size };
}

/** The words followed by the attachments, as one text. */
export function describeMessage(text: string, attachments: readonly Attachment[]): string {
  return [text, ...attachments.map(describe)].filter((block) => block !== '').join('\n\n');
}

function describe(attachment: Attachment): string {
  switch (attachment.kind) {
    case 'file':
      return `[file: ${oneLine(attachment.path)} (${oneLine(attachment.mediaType)}, ${attachment.size} bytes)]`;
    case 'missing':
      return `[file: ${oneLine(attachment.name)} is missing; its bytes are no longer stored]`;
    case 'data':
      return fenced(attachment.json);
    default:
      return attachment satisfies never;
  }
}

/** Fenced with more backticks than the text holds in a row, so that it can't end its own fence. */
function fenced(json: string): string {
  const longest = (json.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}json\n${json}\n${fence}`;
}

// eslint-disable-next-line no-control-regex
const oneLine = (text: string): string => text.replace(/[\u0000-\u001f\u007f\u2028\u2029]+/g, ' ').slice(0, 500);
