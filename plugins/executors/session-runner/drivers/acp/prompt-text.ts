// The words of a prompt, pure: what the agent can't know of itself (standing context, the past, the time), what this
// turn answers, and the message in its frame.
import type { Answer } from '../../../../../src/ledger/records.js';
import type { TranscriptLine } from '../../../../../src/workspace/transcript.js';

interface PromptWords {
  /** Standing context, when the agent has not had it. */
  standing?: string;
  time: string;
  /** What was said before, when the agent does not remember it. */
  history: readonly TranscriptLine[];
  /** The answer that this turn brings, if it brings one. */
  answer?: Answer;
  /** The message in its frame, which tells of a question that it answers. */
  message: string;
}

/** Characters of the past that are told, the latest first. */
const HISTORY = 32_000;

export function promptText({ standing, time, history, answer, message }: PromptWords): string {
  const before = historyText(history);
  const blocks = [
    ...(standing ? [standing] : []),
    time,
    ...(before === '' ? [] : [`What was said in this conversation so far:\n\n${before}`]),
    answer?.from === 'operator' ? decisionText(answer) : message,
  ];
  return blocks.join('\n\n');
}

/** True when the operator's recorded decision grants what was asked. */
export const isGranted = ({ answer }: Answer): boolean => /^approved?$/i.test(answer.trim());

function decisionText(answer: Answer): string {
  const granted = isGranted(answer);
  return [
    `Before, you had to wait for a decision of the operator of this system: "${answer.question}"`,
    granted
      ? 'The operator has approved it. Do it now, exactly so, and go on with the task.'
      : `The operator has declined it (${answer.answer}). Do without it, and say what that means for the task.`,
  ].join('\n');
}

function historyText(history: readonly TranscriptLine[]): string {
  const lines: string[] = [];
  let left = HISTORY;
  for (const { role, text } of history.toReversed()) {
    const line = `${role}: ${text}`;
    left -= line.length;
    if (left < 0) return ['[What was said before that is left out.]', ...lines.reverse()].join('\n\n');
    lines.push(line);
  }
  return lines.reverse().join('\n\n');
}
