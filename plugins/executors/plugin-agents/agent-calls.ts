// Calls from one agent to another: a prompt like any other, in the plugin's name, with the chain carried on, so that a
// circle of calls is seen. A run that is repeated makes the same calls under the same message ids, and gets the same
// tasks for answers.
import { createHash } from 'node:crypto';
import { shortState, textOf, type Part } from '../../../src/a2a-model.js';
import type { AgentPart, CallOptions, CallResult } from '../../../src/authoring/agent-definition.js';
import { CallFailure } from '../../../src/authoring/call-failure.js';
import { AppError } from '../../../src/errors.js';
import { settle } from '../../../src/executors/settle.js';
import { RESPONSE_ARTIFACT } from '../../../src/ledger/spoken-answer.js';
import type { TaskRecord } from '../../../src/ledger/records.js';
import type { Core } from '../../../src/plugin.js';
import { partsOf, receivedParts } from './agent-parts.js';
import type { Caller, Calls } from './agent-run.js';

/** Where the tasks of plugins are. */
const SCOPE = 'operator';

export class AgentCalls implements Calls {
  constructor(private readonly core: Pick<Core, 'prompts' | 'ledger' | 'blobs' | 'hops'>) {}

  async call(from: Caller, agent: string, message: string | AgentPart[], options: CallOptions): Promise<CallResult> {
    const { ledger, prompts } = this.core;
    const taskId = await this.send(from, agent, message, options);
    const cancel = (): void => void prompts.cancel(taskId, idOf(from), 'The caller ended.').catch(() => undefined);
    from.signal.addEventListener('abort', cancel, { once: true });
    try {
      if (from.signal.aborted) cancel();
      const record = await settle(taskId, { ledger, signal: from.signal });
      from.signal.throwIfAborted();
      return resultOf(record, this.core);
    } finally {
      from.signal.removeEventListener('abort', cancel);
    }
  }

  private async send(
    from: Caller,
    agent: string,
    message: string | AgentPart[],
    { taskId, contextId, skill, subject }: CallOptions,
  ): Promise<string> {
    const { prompts, blobs, hops } = this.core;
    const { prompt } = from;
    try {
      const admission = await blobs.tentatively(SCOPE, (put) => {
        const parts = partsOf(message, put);
        if (parts.length === 0) throw new Error('call: the message must not be empty');
        return prompts.submit({
          agent,
          caller: { id: idOf(from), scope: SCOPE },
          message: { messageId: messageId(from, { agent, parts, taskId }), role: 'ROLE_USER', parts },
          chain: [...prompt.chain, hops.of(prompt.agent)],
          surface: 'plugin',
          ...(taskId !== undefined && { taskId }),
          ...(contextId !== undefined && { contextId }),
          ...(skill !== undefined && { skill }),
          ...(subject !== undefined && { subject }),
          ...(prompt.traceparent !== undefined && { traceparent: prompt.traceparent }),
          ...(prompt.synthetic && { synthetic: true }),
        });
      });
      return admission.taskId;
    } catch (error) {
      if (error instanceof AppError) throw new CallFailure(`${agent}: ${error.message}`, agent, 'refused');
      throw error;
    }
  }
}

const idOf = ({ plugin }: Caller): string => `plugin/${plugin}`;

function messageId({ prompt, occurrence }: Caller, call: { agent: string; parts: Part[]; taskId?: string }): string {
  const digest = createHash('sha256').update(JSON.stringify(call)).digest('hex').slice(0, 32);
  return `${prompt.cid}-${digest}-${occurrence(digest)}`;
}

/** Throws a CallFailure for a task that did not end well. */
function resultOf({ task, envelope }: TaskRecord, { blobs }: Pick<Core, 'blobs'>): CallResult {
  const { state, message } = task.status;
  const name = shortState(state);
  const { agent } = envelope;
  const received = (parts: readonly Part[]) => receivedParts(parts, blobs, envelope.caller.scope);
  if (name === 'failed' || name === 'rejected' || name === 'canceled') {
    const why = envelope.error?.text ?? (textOf(message?.parts ?? []) || `the task is ${name}`);
    throw new CallFailure(`${agent}: ${why}`, agent, name, task.id);
  }
  const answer = task.artifacts.find(({ artifactId }) => artifactId === RESPONSE_ARTIFACT)?.parts ?? [];
  const asks = name === 'input-required' || name === 'auth-required';
  const said = asks ? (message?.parts ?? []) : answer;
  return {
    taskId: task.id,
    contextId: task.contextId,
    state: asks ? name : 'completed',
    text: textOf(said),
    parts: received(said),
    artifacts: task.artifacts
      .filter(({ artifactId }) => artifactId !== RESPONSE_ARTIFACT)
      .map(({ artifactId, name: title = artifactId, parts }) => ({ name: title, parts: received(parts) })),
  };
}
