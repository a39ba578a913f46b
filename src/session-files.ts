// How committed events reach the transcripts: a task that ran in a session adds its lines to that session's file.
import { errorText } from './errors.js';
import type { TaskRecord, TranscriptLine } from './ledger/records.js';
import type { FileProblems } from './workspace/file-problems.js';
import { sessionFile } from './workspace/names.js';
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
      if (PASSING.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
      problems.set(envelope.agent, `sessions/${file}.jsonl`, [`can't be written: ${errorText(error)}`], 'append');
    }
  };
