// What a session that opens late is told about the past. Pure.
import type { Prompt } from '../../../src/executors/contract.js';
import type { TranscriptLine } from '../../../src/workspace/transcript.js';

/**
 * The transcript up to the turn that is about to run, whose own first line may or may not be written yet.
 */
export const historyBefore = (
  lines: readonly TranscriptLine[],
  { taskId, turn }: Pick<Prompt, 'taskId' | 'turn'>,
): TranscriptLine[] => lines.filter((line) => line.taskId !== taskId || line.turn < turn);
