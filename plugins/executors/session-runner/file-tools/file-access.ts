// Which files of its workspace a conversation may read and change. `.a2a/` and everything outside are refused to all
// before this is asked.
import { realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { CallerRef } from '../../../../src/bus/topics.js';
import { callerFilePart } from '../../../../src/workspace/names.js';
import { plainName, type Place } from '../workspace-path.js';

const STANDING = ['AGENTS.md', 'CLAUDE.md', 'PERSONA.md', 'MEMORY.md'];
const STANDING_NAMES = new Set(STANDING.map(plainName));

interface Conversation {
  workspace: string;
  caller: Pick<CallerRef, 'id'>;
  /** The operator's own. */
  owner: boolean;
  /** True for a task of this caller. */
  ownsTask(taskId: string): boolean;
  /** The owner allows others' conversations to change what the assistant always knows. */
  writeStanding?: boolean;
}

export class FileAccess {
  private readonly ownInbox: RegExp;

  constructor(private readonly conversation: Conversation) {
    const { caller, workspace } = conversation;
    const name = callerFilePart(caller.id, workspace).replaceAll('.', '\\.');
    this.ownInbox = new RegExp(`^a2a-${name}-\\d{8}T\\d{6}Z-`);
  }

  /** What speaks against reading it, as the end of "it …". What one caller sent is not for another. */
  mayRead({ inside }: Pick<Place, 'inside'>): string | undefined {
    if (this.conversation.owner) return undefined;
    const [folder = '', name = '', task = ''] = inside.split(sep);
    if (plainName(folder) !== 'inbox') return undefined;
    if (plainName(name) === 'a2a') return this.ownsResult(task) ? undefined : 'is for somebody else';
    return plainName(name).startsWith('a2a-') && !this.ownInbox.test(name) ? 'was sent by somebody else' : undefined;
  }

  /** A folder of results is named after its task, or after the message of one of its turns. */
  private ownsResult(folder: string): boolean {
    const { ownsTask } = this.conversation;
    return ownsTask(folder) || ownsTask(folder.replace(/-\d+$/, ''));
  }

  /** What speaks against changing it, as the end of "it …". */
  mayWrite(place: Place): string | undefined {
    const names = place.inside.split(sep).map(plainName);
    // Git runs programs that are named there.
    if (names.includes('.git') || names.some((name) => /^git~\d+$/.test(name))) return "belongs to git's own files";
    const { owner, writeStanding = false } = this.conversation;
    if (!owner && !writeStanding && isStanding(place, names)) return 'is for the owner to change';
    return this.mayRead(place);
  }
}

/** By name, and by what the owner's files are links to. */
function isStanding({ root, path }: Place, [name = '', ...deeper]: string[]): boolean {
  if (deeper.length === 0 && STANDING_NAMES.has(name)) return true;
  return STANDING.some((file) => {
    try {
      return realpathSync(join(root, file)) === path;
    } catch {
      return false;
    }
  });
}
