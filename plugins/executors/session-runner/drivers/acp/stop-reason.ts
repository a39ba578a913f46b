// How a prompt's answer ends the turn: pure. Being cut off is an end like any other; a reason that the protocol does
// not know is a failure, since nobody can tell what it means.
import type { Usage } from '../../../../../src/bus/topics.js';
import type { TurnEnd } from '../../../../../src/authoring/driver.js';
import { isObject } from '../../../../../src/read-json.js';

export function endOfAnswer(answer: Record<string, unknown>): TurnEnd {
  const usage = usageOf(answer.usage);
  const reason = answer.stopReason;
  switch (reason) {
    case 'end_turn':
    case 'max_tokens':
    case 'max_turn_requests':
      return { type: 'done', ...(usage && { usage }) };
    case 'refusal':
      return { type: 'rejected', text: 'The agent refuses to go on with this.' };
    case 'cancelled':
      return { type: 'failed', text: 'The agent broke off by itself.', code: 'agent-cancelled' };
    default:
      return {
        type: 'failed',
        text: `The agent stopped for a reason that is not known here: ${String(reason).slice(0, 60)}.`,
        code: 'agent-protocol',
      };
  }
}

/** Not every agent counts; the member is no stable part of the protocol. */
function usageOf(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const count = (member: string): number | undefined => {
    const number = value[member];
    return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : undefined;
  };
  const [inputTokens, outputTokens, totalTokens] = ['inputTokens', 'outputTokens', 'totalTokens'].map(count);
  if (inputTokens === undefined && outputTokens === undefined && totalTokens === undefined) return undefined;
  return {
    ...(inputTokens !== undefined && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
    ...(totalTokens !== undefined && { totalTokens }),
  };
}
