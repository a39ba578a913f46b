// A turn's message as the protocol's content blocks: its words, and its files as far as the agent takes them. What it
// does not take, or what is too large to travel in a prompt, is a link to the file in the workspace.
import type { ContentBlock, PromptCapabilities } from '@agentclientprotocol/sdk';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import type { Attachment } from '../../../../../src/authoring/driver.js';
import { readWorkspaceFile } from '../../workspace-file.js';

/** Bytes of a file that travels within the prompt. */
const MAX_TEXT = 128 * 1024;
const MAX_MEDIA = 5 * 1024 * 1024;
const TEXT_TYPES = /^(text\/|application\/(json|xml|yaml|x-yaml|javascript|toml)$)/;

type TakenFile = Extract<Attachment, { kind: 'file' }>;

export function promptBlocks(
  text: string,
  attachments: readonly Attachment[],
  { directory, takes }: { directory: string; takes: PromptCapabilities },
): ContentBlock[] {
  const files = attachments.filter((attachment) => attachment.kind === 'file');
  return [{ type: 'text', text }, ...files.map((file) => fileBlock(file, directory, takes))];
}

function fileBlock(file: TakenFile, directory: string, takes: PromptCapabilities): ContentBlock {
  const { path, mediaType, size } = file;
  const uri = pathToFileURL(join(directory, path)).href;
  const link: ContentBlock = { type: 'resource_link', uri, name: path, mimeType: mediaType, size };
  const media = mediaKind(mediaType, takes);
  if (media !== undefined && size <= MAX_MEDIA) {
    const read = readWorkspaceFile(directory, path, MAX_MEDIA);
    return read.kind === 'read' ? { type: media, data: read.bytes.toString('base64'), mimeType: mediaType } : link;
  }
  if (takes.embeddedContext === true && TEXT_TYPES.test(mediaType) && size <= MAX_TEXT) {
    const read = readWorkspaceFile(directory, path, MAX_TEXT);
    if (read.kind === 'read')
      return { type: 'resource', resource: { uri, text: read.bytes.toString(), mimeType: mediaType } };
  }
  return link;
}

function mediaKind(mediaType: string, takes: PromptCapabilities): 'image' | 'audio' | undefined {
  if (takes.image === true && /^image\/(png|jpeg|gif|webp)$/.test(mediaType)) return 'image';
  return takes.audio === true && mediaType.startsWith('audio/') ? 'audio' : undefined;
}
