// How the ledger meets the transcripts: a task that ran in a session adds its lines to that session's file, and takes the
// file along when it is the last to go.
import { errorText, systemCode } from './errors.js';
import type { Conversation } from './bus/parties.js';
import { holderOfFile, type TranscriptBin } from './ledger/leftovers.js';
import type { TaskRecord, TranscriptLine } from './ledger/records.js';
import type { FileProblems } from './workspace/file-problems.js';
import type { WorkspaceDirectory } from './workspace/directory.js';
import { scopeOfSessionFile, sessionFile } from './workspace/names.js';
import type { Transcripts } from './workspace/transcript.js';

/** What may pass by itself: then nothing may be skipped, and the same lines come again. */
const PASSING = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EMFILE', 'ENFILE', 'EAGAIN', 'EBUSY', 'ENOMEM', 'EROFS']);

/**
 * Appends a task's lines to its session's transcript; does nothing for tasks without a session. A transcript that can't
 * be written as it is (a folder, a link, a newer format, no permission) is reported and does without these lines: the
 * tasks still hold every word, and one bad file must not stop the others. Throws only what may pass.
 */
export const saveSessionLines =
  (transcripts: Transcripts, problems: FileProblems) =>
  ({ task, envelope }: TaskRecord, lines: readonly TranscriptLine[]): void => {
    if (!envelope.session) return;
    const file = sessionFile(envelope.agent, envelope.caller.id, task.contextId);
    try {
      transcripts.append(envelope.agent, file, lines);
    } catch (error) {
      if (PASSING.has(systemCode(error) ?? '')) throw error;
      problems.set(envelope.agent, `sessions/${file}.jsonl`, [`can't be written: ${errorText(error)}`], 'append');
    }
  };

const fileOf = ({ agent, caller, contextId }: Conversation): string => sessionFile(agent, caller, contextId);

export const transcriptBin = (transcripts: Transcripts): TranscriptBin => ({
  blobs: (conversation) => transcripts.blobs(conversation.agent, fileOf(conversation)),
  remove: (conversation) => transcripts.remove(conversation.agent, fileOf(conversation)),
});

/** Which stored files all transcripts mention, by the scope whose files they are. Reads every transcript of those scopes. */
export function* usedByTranscripts(
  transcripts: Transcripts,
  workspaces: Pick<WorkspaceDirectory, 'names'>,
  hasBlobs: (scope: string) => boolean,
): Generator<{ scope: string; holder: string; blobs: string[] }> {
  const withFiles = new Map<string, boolean>();
  for (const agent of workspaces.names()) {
    for (const file of transcripts.list(agent)) {
      const scope = scopeOfSessionFile(agent, file);
      if (scope === undefined) continue;
      if (!withFiles.has(scope)) withFiles.set(scope, hasBlobs(scope));
      const blobs = withFiles.get(scope) ? transcripts.blobs(agent, file) : [];
      if (blobs.length > 0) yield { scope, holder: holderOfFile(agent, file), blobs };
    }
  }
}
