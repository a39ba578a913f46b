// A transcript as turns that a model can be told of. Tool calls are not in it with their results, so none are told. Pure.
import type { Part } from '../../../../../src/a2a-model.js';
import { safeFileName } from '../../../../../src/workspace/safe-file-name.js';
import type { TranscriptLine } from '../../../../../src/workspace/transcript.js';
import type { Attachment } from '../../../../../src/authoring/driver.js';
import { describeMessage } from '../../incoming-message.js';
import { plainTurn, type PastTurn } from './conversation.js';

/** Oldest first. Lines of tasks that ran at the same time stay with their own turn. */
export function pastTurns(lines: readonly TranscriptLine[]): PastTurn[] {
  const turns = new Map<string, { said: string[]; answered: string[] }>();
  for (const line of lines) {
    const key = `${line.taskId} ${line.turn}`;
    const turn = turns.get(key) ?? { said: [], answered: [] };
    turns.set(key, turn);
    if (line.role === 'user') turn.said.push(describeMessage(line.text, (line.parts ?? []).flatMap(attachmentOf)));
    else if (line.role === 'operator') turn.said.push(`The operator's decision: ${line.text}`);
    else if (line.role === 'assistant') turn.answered.push(line.text);
  }
  return [...turns.values()].map(({ said, answered }) => plainTurn(said.join('\n\n'), answered.join('\n\n')));
}

/** The transcript does not say where a file was saved, only how it was called. */
function attachmentOf(part: Part): Attachment[] {
  if ('text' in part) return [];
  if ('data' in part) return [{ kind: 'data', json: JSON.stringify(part.data, null, 2) }];
  const { mediaType = 'application/octet-stream', filename = 'file' } = part;
  const size = 'size' in part ? part.size : 0;
  return [{ kind: 'file', path: `inbox/…-${safeFileName(filename)}`, mediaType, size }];
}
