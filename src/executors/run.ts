// One turn while it runs: what the executor's handle does, and how whatever the run settles to becomes the turn's end.
import { setMaxListeners } from 'node:events';
import type { Artifact } from '../a2a-model.js';
import type { InputRequest, Progress, PromptAssigned, PromptResponse, RunError, Usage } from '../bus/topics.js';
import type { TaskRecord } from '../ledger/records.js';
import { RunFailure, type Prompt, type RunOutcome } from './contract.js';
import type { RemoteHandle } from './turns.js';
import { areParts, isArtifact } from './usable-parts.js';

/** The end of a turn, without the fields every end has. */
export type TurnEnd =
  | {
      topic: 'agent.prompt.response';
      payload: Pick<PromptResponse, 'parts' | 'error' | 'usage'> & { state: NonNullable<PromptResponse['state']> };
    }
  | { topic: 'agent.prompt.input.request'; payload: Pick<InputRequest, 'question' | 'from' | 'schema' | 'key'> };

/** The prompt an executor gets, from the task as committed: its own copy, so that no executor can change a task by it. */
export function promptOf({ task, envelope }: TaskRecord, assigned: PromptAssigned): Prompt {
  const asked = task.history.filter((message) => message.role === 'ROLE_USER');
  const opening = asked[0];
  // What a caller adds while the operator has not decided is kept, and is not what was approved.
  const message = assigned.turn === 1 ? opening : asked.at(-1);
  if (!opening || !message) throw new Error('a task has at least the message that opened it');
  return structuredClone<Prompt>({
    cid: assigned.cid,
    taskId: task.id,
    contextId: task.contextId,
    turn: assigned.turn,
    agent: assigned.agent,
    caller: envelope.caller,
    opening,
    message,
    answers: envelope.answers,
    chain: envelope.chain,
    ...(envelope.skill !== undefined && { skill: envelope.skill }),
    ...(envelope.lookIn !== undefined && { lookIn: envelope.lookIn }),
    ...(assigned.traceparent !== undefined && { traceparent: assigned.traceparent }),
    ...(envelope.synthetic && { synthetic: true }),
  });
}

export class Run implements RemoteHandle {
  readonly controller = new AbortController();
  /** The end was published; whatever the run still says is ignored. */
  ended = false;
  /** The run put something into an artifact, so it may end without parts. */
  answered = false;
  /** The run let go of the turn, which goes on: its work is elsewhere. */
  delegated = false;
  /** What the run tried to show and nobody can be shown; its turn fails, whatever it says at the end. */
  invalid: string | undefined;
  private pieces: string[] = [];
  private closed = false;

  constructor(
    readonly assigned: PromptAssigned,
    readonly prompt: Prompt,
    readonly startedAt: number,
    private readonly show: (progress: Progress) => void,
    /** Answers with one message: what the run shows before its end is dropped. */
    readonly direct = false,
  ) {
    // An agent may ask very many others at once, each of which listens: that is no leak.
    setMaxListeners(0, this.controller.signal);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  delta(text: string): void {
    if (text === '' || this.direct || !this.isText(text)) return;
    this.answered = true;
    if (this.closed) this.flush();
    if (this.pieces.push(text) === 1) this.flushSoon();
  }

  endMessage(): void {
    if (this.direct) return;
    this.closed = true;
    if (this.pieces.length === 0) this.flushSoon();
  }

  /** Shows text that was held back. Pieces that come in one go travel together: most of an event's price is per event. */
  flush(): void {
    if (this.pieces.length === 0 && !this.closed) return;
    const progress: Progress = { kind: 'text', pieces: this.pieces, end: this.closed };
    this.pieces = [];
    this.closed = false;
    if (!this.ended) this.show(progress);
  }

  status(text: string): void {
    if (this.isText(text)) this.tell({ kind: 'status', text });
  }

  toolStarted(tool: string): void {
    if (this.isText(tool)) this.tell({ kind: 'tool-started', tool });
  }

  toolFinished(tool: string, ok: boolean): void {
    if (this.isText(tool)) this.tell({ kind: 'tool-finished', tool, ok: ok === true });
  }

  artifact(given: Artifact, options: { append?: boolean; lastChunk?: boolean } = {}): void {
    if (this.direct) return;
    const artifact = plainCopy(given);
    if (!isArtifact(artifact)) {
      this.invalid = 'an artifact that is none';
      return;
    }
    this.answered = true;
    this.tell({ kind: 'artifact', artifact, append: options.append ?? false, lastChunk: options.lastChunk ?? true });
  }

  percent(value: number): void {
    this.tell({ kind: 'percent', value });
  }

  authRequired(text: string): void {
    this.tell({ kind: 'auth-required', text });
  }

  working(): void {
    this.tell({ kind: 'working' });
  }

  private tell(progress: Progress): void {
    this.flush();
    if (!this.ended && !this.direct) this.show(progress);
  }

  /** Executors and drivers from outside have no compiler to tell them. */
  private isText(text: unknown): text is string {
    if (typeof text === 'string') return true;
    this.invalid = 'a text that is none';
    return false;
  }

  private flushSoon(): void {
    queueMicrotask(() => this.flush());
  }
}

export const failedEnd = (code: string, text: string): TurnEnd => ({
  topic: 'agent.prompt.response',
  payload: { state: 'TASK_STATE_FAILED', error: errorOf(code, text) },
});

/** What a caller is told of a failure: whoever wrote the agent may have put anything there. */
const errorOf = (code: unknown, text: unknown): RunError => ({
  code: typeof code === 'string' && CODE.test(code) ? code : 'run-failed',
  text: String(text),
});

const CODE = /^[A-Za-z0-9._-]{1,64}$/;

/** What a run's result means. Anything that can't be mapped fails the turn with a reason. */
export function endOfOutcome(
  given: RunOutcome | undefined | null,
  run: Pick<Run, 'answered' | 'invalid' | 'direct'>,
): TurnEnd {
  if (run.invalid) return failedEnd('invalid-answer', `The agent returned ${run.invalid}.`);
  const outcome = plainCopy(given);
  if (outcome === undefined && given !== undefined) {
    return failedEnd('invalid-answer', 'The agent returned something that is no plain data.');
  }
  if (typeof outcome !== 'object' || outcome === null) return failedEnd('no-answer', 'The agent returned no answer.');
  const usage = 'usage' in outcome && isUsage(outcome.usage) ? { usage: outcome.usage } : {};
  switch (outcome.kind) {
    case 'completed': {
      const { parts = [] } = outcome;
      if (!areParts(parts))
        return failedEnd('invalid-answer', 'The agent returned an answer that is not made of parts.');
      if (parts.length === 0 && !run.answered) return failedEnd('no-answer', 'The agent returned no answer.');
      return {
        topic: 'agent.prompt.response',
        payload: { state: 'TASK_STATE_COMPLETED', ...(parts.length > 0 && { parts }), ...usage },
      };
    }
    case 'question': {
      const { question, from, schema, key } = outcome;
      if (run.direct) return failedEnd('invalid-answer', 'An agent that replies with a message asks nothing.');
      if (typeof question !== 'string' || question === '')
        return failedEnd('invalid-answer', 'The agent asked an empty question.');
      if (from !== 'caller' && from !== 'operator')
        return failedEnd('invalid-answer', 'The agent asked a question and did not say whom.');
      return {
        topic: 'agent.prompt.input.request',
        payload: { question, from, ...(schema !== undefined && { schema }), ...(key !== undefined && { key }) },
      };
    }
    case 'failed':
      return {
        topic: 'agent.prompt.response',
        payload: { state: 'TASK_STATE_FAILED', error: errorOf(outcome.code, outcome.text), ...usage },
      };
    case 'rejected':
      return {
        topic: 'agent.prompt.response',
        payload: { state: 'TASK_STATE_REJECTED', error: errorOf('rejected', outcome.text) },
      };
    case 'canceled': {
      const text = outcome.text;
      const error = typeof text === 'string' ? { error: errorOf('canceled', text) } : {};
      return { topic: 'agent.prompt.response', payload: { state: 'TASK_STATE_CANCELED', ...error } };
    }
    case 'delegated':
      return failedEnd('invalid-answer', 'The agent handed its work on to nobody.');
    default:
      outcome satisfies never;
      return failedEnd('invalid-answer', 'The agent returned something that is no answer.');
  }
}

/** What a thrown value means: a known failure's text, else a fixed sentence. */
export const endOfThrow = (error: unknown): TurnEnd =>
  error instanceof RunFailure
    ? failedEnd(error.code, error.message)
    : failedEnd('unexpected', 'The run failed unexpectedly.');

const USAGE = ['inputTokens', 'outputTokens', 'totalTokens'];

/** What else a driver says about its use can't be told to anybody. */
const isUsage = (usage: unknown): usage is Usage =>
  typeof usage === 'object' &&
  usage !== null &&
  Object.entries(usage).every(([name, count]) => USAGE.includes(name) && typeof count === 'number');

/**
 * A copy as it will be read back from a file, so that nothing that is shown changes later in memory. Undefined for what
 * JSON can't express.
 */
function plainCopy<T>(value: T): T | undefined {
  try {
    return JSON.parse(JSON.stringify(value)) as T;
  } catch {
    return undefined;
  }
}
