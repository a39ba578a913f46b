// What a purged task leaves beside its own file: its session's transcript, when no task of that conversation is left, and
// stored files that nobody uses any more. Safe to repeat: what may go follows from how things are now.
import type { Conversation } from '../bus/parties.js';
import type { Mirror } from '../mirror/rows.js';
import { sessionFile } from '../workspace/names.js';
import type { PurgedEvent, TaskRecord } from './records.js';
import { blobsOf } from './task-blobs.js';

export interface PurgedTask {
  taskId: string;
  scope: string;
  event: PurgedEvent;
}

/** The transcripts, as far as a purge needs them. */
export interface TranscriptBin {
  /** Names of all stored files that the transcript mentions. */
  blobs(conversation: Conversation): string[];
  remove(conversation: Conversation): void;
}

/** The stored files of scopes, as far as a purge needs them. */
interface BlobBin {
  /** Removes the file; false when it was put a moment ago, and whoever did that may be about to use it. */
  removeUnused(scope: string, blob: string): boolean;
}

/** What is not in the mirror: tasks on their way to the journal, and sessions. */
export interface Present {
  records: readonly TaskRecord[];
  isOpen(conversation: Conversation): boolean;
}

export const NOTHING_ELSE: Present = { records: [], isOpen: () => false };

export class Leftovers {
  constructor(
    private readonly deps: {
      mirror: Pick<Mirror, 'list' | 'holdBlobs' | 'blobsOf' | 'dropBlobs' | 'isBlobUsed'>;
      transcripts: TranscriptBin;
      blobs: BlobBin;
    },
  ) {}

  /**
   * Removes what may go, once the task's row is out of the mirror and all that was committed is in it. False when
   * something has to wait: the session is still open, or a file was put again a moment ago. Throws the disk's errors.
   */
  clear({ scope, event }: PurgedTask, present: Present): boolean {
    const { mirror, transcripts, blobs } = this.deps;
    const unused = new Set(event.blobs);
    let done = true;
    if (event.session) {
      const holder = holderOf(event);
      const said = transcripts.blobs(event);
      const dead = this.isDead(event, present.records);
      if (dead && !present.isOpen(event)) {
        for (const blob of [...said, ...mirror.blobsOf(scope, holder)]) unused.add(blob);
        transcripts.remove(event);
        mirror.dropBlobs(scope, holder);
      } else {
        // The task said what it uses; from now on the transcript has to.
        mirror.holdBlobs(
          scope,
          holder,
          said.filter((blob) => unused.has(blob)),
        );
        done = !dead;
      }
    }
    const coming = new Set(present.records.flatMap(({ task }) => blobsOf(task)));
    for (const blob of unused) {
      if (coming.has(blob) || mirror.isBlobUsed(scope, blob)) continue;
      if (!blobs.removeUnused(scope, blob)) done = false;
    }
    return done;
  }

  private isDead({ caller, agent, contextId }: Conversation, coming: readonly TaskRecord[]): boolean {
    const among = ({ task, envelope }: TaskRecord): boolean =>
      task.contextId === contextId && envelope.caller.id === caller && envelope.agent === agent;
    return !coming.some(among) && this.deps.mirror.list({ caller, agent, contextId, pageSize: 1 }).total === 0;
  }
}

/** How the mirror names a conversation's transcript; no task's id looks like that. Throws for what is no conversation. */
const holderOf = ({ caller, agent, contextId }: Conversation): string =>
  holderOfFile(agent, sessionFile(agent, caller, contextId));

export const holderOfFile = (agent: string, file: string): string => `${agent}/${file}`;
