// The ledger's place on the bus, and what the bus says about a turn as the ledger's events. Pure.
import { isTerminal } from '../a2a-model.js';
import type { BusHandle } from '../bus/bus.js';
import type { InputRequest, PromptCancel, PromptProgress, PromptResponse } from '../bus/topics.js';
import type { TaskEvent } from './records.js';

/** The ledger's place on the bus. */
export const LEDGER_DECLARATION = {
  name: 'ledger',
  consumes: ['agent.prompt.progress', 'agent.prompt.input.request', 'agent.prompt.response', 'agent.prompt.cancel'],
  observes: [],
  produces: ['task.updated'],
} as const;

export type LedgerBus = BusHandle<(typeof LEDGER_DECLARATION)['consumes'][number], 'task.updated'>;

/** Hands on what the bus says about tasks. */
export function takeFromBus(
  bus: LedgerBus,
  ledger: { event(taskId: string, event: TaskEvent): void; cancel(cancel: PromptCancel): Promise<void> },
): void {
  bus.subscribe('agent.prompt.progress', (progress) => ledger.event(progress.cid, eventOfProgress(progress)));
  bus.subscribe('agent.prompt.input.request', (request) => ledger.event(request.cid, eventOfQuestion(request)));
  bus.subscribe('agent.prompt.response', (response) => {
    const event = eventOfResponse(response);
    if (event) ledger.event(response.cid, event);
  });
  bus.subscribe('agent.prompt.cancel', (cancel) => ledger.cancel(cancel));
}

function eventOfProgress(progress: PromptProgress): TaskEvent {
  const { turn } = progress;
  switch (progress.kind) {
    case 'text':
      return { type: 'text', turn, pieces: progress.pieces, end: progress.end };
    case 'status':
      return { type: 'status', turn, text: progress.text };
    case 'percent':
      return { type: 'status', turn, text: `${progress.value} %` };
    case 'auth-required':
      return { type: 'status', turn, text: progress.text, needs: 'auth' };
    case 'working':
      return { type: 'status', turn };
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

function eventOfQuestion({ turn, requestId, question, from, schema, key }: InputRequest): TaskEvent {
  const more = { ...(schema !== undefined && { schema }), ...(key !== undefined && { key }) };
  const asked = { requestId, text: question, from, ...more };
  return { type: 'question', turn, question: asked };
}

/** Undefined for a response that ends no turn. */
function eventOfResponse(response: PromptResponse): TaskEvent | undefined {
  const { turn, state, parts, error, usage, refusal, duplicateOf } = response;
  if (refusal || duplicateOf !== undefined) return undefined;
  if (state === undefined || !isTerminal(state)) return undefined;
  return { type: 'turn-ended', turn, state, ...(parts && { parts }), ...(error && { error }), ...(usage && { usage }) };
}
