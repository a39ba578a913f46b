// How committed events reach the transcripts: a task that ran in a session adds its lines to that session's file.
import type { TaskRecord, TranscriptLine } from './ledger/records.js';
import { sessionFile } from './workspace/names.js';
import type { Transcripts } from './workspace/transcript.js';

/** The executor whose turns are sessions. */
const SESSION_EXECUTOR = 'session-runner';

/** Appends a task's lines to its session's transcript; does nothing for tasks without a session. */
export const saveSessionLines =
  (transcripts: Transcripts) =>
  ({ task, envelope }: TaskRecord, lines: readonly TranscriptLine[]): void => {
    if (envelope.executor !== SESSION_EXECUTOR) return;
    transcripts.append(envelope.agent, sessionFile(envelope.agent, envelope.caller.id, task.contextId), lines);
  };
