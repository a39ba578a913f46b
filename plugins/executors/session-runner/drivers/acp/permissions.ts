// What becomes of an agent's request for permission: pure. The narrowest option that grants or refuses is taken; what
// has no such option counts as cancelled.
import type { PermissionOption, RequestPermissionRequest, RequestPermissionResponse } from '@agentclientprotocol/sdk';
import { createHash } from 'node:crypto';
import { isObject } from '../../../../../src/read-json.js';
import { textAt } from './text-at.js';

/** Characters of a question. */
const SHOWN = 2_000;
/** Members of a tool's input that say what it is about, without the content it would write. */
const TELLING = ['command', 'cmd', 'path', 'file_path', 'filePath', 'filepath', 'url', 'pattern'];

export const CANCELLED: RequestPermissionResponse = { outcome: { outcome: 'cancelled' } };

export function decide(options: readonly PermissionOption[], grant: boolean): RequestPermissionResponse {
  const kinds = grant ? ['allow_once', 'allow_always'] : ['reject_once', 'reject_always'];
  for (const kind of kinds) {
    const option = options.find((candidate) => candidate.kind === kind);
    if (option) return { outcome: { outcome: 'selected', optionId: option.optionId } };
  }
  return CANCELLED;
}

/** The request in words, for the operator who decides. The same request has the same words. */
export function questionOf({ toolCall }: RequestPermissionRequest): string {
  const { title, kind, rawInput } = toolCall;
  const what = title?.trim() || kind || 'use a tool';
  const about = isObject(rawInput) ? TELLING.map((member) => detail(rawInput, member)).find((text) => text) : undefined;
  const more = about === undefined || what.includes(about) ? '' : ` (${about})`;
  return `The agent asks for permission: ${cut(`${what}${more}`)}`;
}

/** Says that something is missing, and tells texts apart that differ only there: a decision is for one of them. */
function cut(text: string): string {
  if (text.length <= SHOWN) return text;
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
  const beginning = text.slice(0, SHOWN).replace(/[\uD800-\uDBFF]$/, '');
  return `${beginning} [cut: ${text.length - SHOWN} more characters are not shown, ${digest}]`;
}

/** Whether the request speaks of the switchboard's own folder in the workspace, where keys and conversations are. */
export const touchesOwnFiles = ({ toolCall }: RequestPermissionRequest): boolean =>
  JSON.stringify([toolCall.title, toolCall.rawInput, toolCall.locations, toolCall.content])
    .toLowerCase()
    .includes('.a2a');

function detail(input: Record<string, unknown>, member: string): string | undefined {
  const value = input[member];
  if (Array.isArray(value)) return value.map(String).join(' ');
  return textAt(input, member);
}
