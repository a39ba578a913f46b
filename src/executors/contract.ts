// What an executor is: it serves agents, runs one turn at a time per context, and never speaks on the bus itself.
// The host (host.ts) publishes its progress and the one end of its turn.
import type { Artifact, Message, Part } from '../a2a-model.js';
import type { CallerRef, Conversation, Hop, Usage } from '../bus/topics.js';
import type { Answer } from '../ledger/records.js';

export interface AgentSkill {
  id: string;
  name: string;
  description: string;
  tags: string[];
  examples?: string[];
}

/** An agent that can be addressed by name. */
export interface AgentInfo {
  name: string;
  kind: 'workspace' | 'remote' | 'plugin';
  description?: string;
  /** False: nobody but the operator sees or reaches it. */
  exposed: boolean;
  skills: AgentSkill[];
  /**
   * `message`: it answers with one Message, and callers never see its tasks. It neither asks nor shows progress. A function
   * decides by the message that opens the task; it must not throw.
   */
  replies?: 'message' | ((opening: Message) => 'task' | 'message');
  /** Skills whose prompts wait for the operator before anything runs; `*` stands for every prompt. */
  approval?: readonly string[];
}

/** True when the agent answers this message with one Message. */
export const repliesDirectly = ({ replies }: Pick<AgentInfo, 'replies'>, opening: Message): boolean =>
  (typeof replies === 'function' ? replies(opening) : replies) === 'message';

/** One turn's work. Plain data only: what survives a restart is all there is. */
export interface Prompt {
  cid: string;
  taskId: string;
  contextId: string;
  /** From 1 within the task. */
  turn: number;
  agent: string;
  skill?: string;
  caller: CallerRef;
  /** The message that opened the task. */
  opening: Message;
  /** The message of this turn: the opening one, or the answer. */
  message: Message;
  /** Every question this task has asked and its answer, oldest first. */
  answers: Answer[];
  chain: Hop[];
  /** The workspace in whose agents.json the agent's name was looked up; the caller's own when absent. */
  lookIn?: string;
  traceparent?: string;
  synthetic?: boolean;
}

/** How a run shows what it does. Calls after the turn has ended are ignored; none throws. */
export interface RunHandle {
  /** Aborted by a cancel, the deadline or shutdown. */
  readonly signal: AbortSignal;
  /** Appends to the open assistant message, or opens one. */
  delta(text: string): void;
  /** Ends the open assistant message; the next delta starts a new one. */
  endMessage(): void;
  status(text: string): void;
  toolStarted(tool: string): void;
  toolFinished(tool: string, ok: boolean): void;
  artifact(artifact: Artifact, options?: { append?: boolean; lastChunk?: boolean }): void;
  percent(value: number): void;
}

/** How a run ends. Anything else that `run` resolves to fails the turn with a reason. */
export type RunOutcome =
  /** Done. `parts` is the answer when nothing was streamed. */
  | { kind: 'completed'; parts?: Part[]; usage?: Usage }
  /** `key`: the executor's own name for the question, for finding its answer among `Prompt.answers`. */
  | { kind: 'question'; question: string; schema?: unknown; from: 'caller' | 'operator'; key?: string }
  | { kind: 'failed'; text: string; code?: string; usage?: Usage }
  | { kind: 'rejected'; text: string }
  /** What the turn was for was canceled, elsewhere. */
  | { kind: 'canceled'; text?: string }
  /**
   * The work goes on at a remote agent: the task has a watch, and whoever follows that shows the rest and ends the turn
   * (see `Turns`).
   */
  | { kind: 'delegated' };

/** A failure whose text the caller may read. Anything else that a run throws becomes a fixed sentence. */
export class RunFailure extends Error {
  override readonly name: string = 'RunFailure';
  constructor(
    message: string,
    readonly code = 'run-failed',
  ) {
    super(message);
  }
}

export interface Executor {
  /** `[a-z0-9-]+`: the last segment of its `assigned` topic. */
  readonly name: string;
  /** Its turns are turns of a session: the ledger keeps a transcript of them in the agent's workspace. */
  readonly keepsSessions?: boolean;
  /** Milliseconds one of its turns may take; the configuration's default when absent. */
  readonly turnDeadlineMs?: number;
  /** The agent of that name that this executor serves, as seen from the caller's scope. Cheap: called per request. */
  find(agent: string, scope: string): AgentInfo | undefined;
  /** All agents it serves, as seen from the scope. */
  list(scope: string): AgentInfo[];
  /** Runs one turn. Must settle soon after `handle.signal` aborts; a run that does not keeps its context busy. */
  run(prompt: Prompt, handle: RunHandle): Promise<RunOutcome>;
  /**
   * Called when an aborted run has not settled in time: drop whatever state the context has, so that it can be used
   * again. Absent: the context stays busy until the run settles.
   */
  discard?(prompt: Prompt): void;
  /** True while it keeps a session of that conversation open; absent: it never does. */
  isOpen?(conversation: Conversation): boolean;
}
