// This turn's message as the model gets it: the framed words and small text files in one text, since not every endpoint
// takes several, and images where the model takes them. Everything else it knows by its path.
import type { ImagePart, TextPart } from 'ai';
import type { LlmSettings } from '../../../../../src/workspace/driver-settings.js';
import type { Attachment } from '../../../../../src/authoring/driver.js';
import { readWorkspaceFile } from '../../workspace-file.js';

type UserContent = string | (TextPart | ImagePart)[];

/** Bytes of all text files together, and of one image. */
const MAX_INLINE = 256 * 1024;
const MAX_IMAGE = 5 * 1024 * 1024;
const MAX_IMAGES = 8;
const IMAGE = /^image\/(png|jpeg|gif|webp)$/;
const TEXT = /^(text\/.+|application\/(json|xml|yaml|x-yaml|toml|javascript|sql|x-ndjson)|.+\+(json|xml|yaml))$/;

type FileAttachment = Extract<Attachment, { kind: 'file' }>;

export function userContent(
  prompt: string,
  attachments: readonly Attachment[],
  directory: string,
  settings: Pick<LlmSettings, 'images' | 'inlineBytes'>,
): UserContent {
  const texts = [prompt];
  const pictures: ImagePart[] = [];
  let room = MAX_INLINE;
  const images = settings.images ? MAX_IMAGES : 0;
  for (const file of attachments) {
    if (file.kind !== 'file') continue;
    const mediaType = file.mediaType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
    if (IMAGE.test(mediaType) && pictures.length < images && file.size <= MAX_IMAGE) {
      const bytes = bytesOf(directory, file);
      if (bytes) pictures.push({ type: 'image', image: bytes, mediaType });
    } else if (TEXT.test(mediaType) && file.size <= Math.min(settings.inlineBytes, room)) {
      const text = textOf(bytesOf(directory, file));
      if (text === undefined) continue;
      room -= file.size;
      texts.push(`[begin of ${file.path}]\n${text}\n[end of ${file.path}]`);
    }
  }
  const text = texts.join('\n\n');
  return pictures.length === 0 ? text : [{ type: 'text', text }, ...pictures];
}

/** The whole file, unless it changed its size since it was saved. */
function bytesOf(directory: string, { path, size }: FileAttachment): Buffer | undefined {
  const read = readWorkspaceFile(directory, path, size);
  return read.kind === 'read' && read.size === size ? read.bytes : undefined;
}

/** Undefined for what is no text, whatever its media type says. */
function textOf(bytes: Buffer | undefined): string | undefined {
  if (!bytes || bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
