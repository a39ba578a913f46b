// The ledger's place on the bus, and what the bus says about a turn as the ledger's events. Pure.
import { isTerminal } from '../a2a-model.js';
import type { BusHandle } from '../bus/bus.js';
import type { InputRequest, PromptProgress, PromptResponse } from '../bus/topics.js';
import type { TaskEvent } from './records.js';

/** The ledger's place on the bus. */
export const LEDGER_DECLARATION = {
  name: 'ledger',
  consumes: ['agent.prompt.progress', 'agent.prompt.input.request', 'agent.prompt.response', 'agent.prompt.cancel'],
  observes: [],
  produces: ['task.updated'],
} as const;

export type LedgerBus = BusHandle<(typeof LEDGER_DECLARATION)['consumes'][number], 'task.updated'>;

export function eventOfProgress(progress: PromptProgress): TaskEvent {
  const { turn } = progress;
  switch (progress.kind) {
    case 'text':
      return { type: 'text', turn, pieces: progress.pieces, end: progress.end };
    case 'status':
      return { type: 'status', turn, text: progress.text };
    case 'percent':
      return { type: 'status', turn, text: `${progress.value} %` };
    case 'tool-started':
      return { type: 'tool', turn, tool: progress.tool, phase: 'started' };
    case 'tool-finished':
      return { type: 'tool', turn, tool: progress.tool, phase: 'finished', ok: progress.ok };
    case 'artifact': {
      const { artifact, append, lastChunk } = progress;
      return { type: 'artifact', turn, artifact, append, lastChunk };
    }
    default:
      return progress satisfies never;
  }
}

export function eventOfQuestion({ turn, requestId, question, from, schema }: InputRequest): TaskEvent {
  const asked = { requestId, text: question, from, ...(schema !== undefined && { schema }) };
  return { type: 'question', turn, question: asked };
}

/** Undefined for a response that ends no turn, and for a cancel's, of which the ledger learned by itself. */
export function eventOfResponse(response: PromptResponse): TaskEvent | undefined {
  const { turn, state, parts, error, usage, refusal, duplicateOf } = response;
  if (refusal || duplicateOf !== undefined) return undefined;
  if (state === undefined || !isTerminal(state) || state === 'TASK_STATE_CANCELED') return undefined;
  return { type: 'turn-ended', turn, state, ...(parts && { parts }), ...(error && { error }), ...(usage && { usage }) };
}
