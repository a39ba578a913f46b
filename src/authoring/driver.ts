// What a driver is: it holds one conversation and runs one turn at a time. It tells what happens as events and ends
// each turn with exactly one TurnEnd: a failure is an end like any other, never an exception for others to catch.
import type { CallerRef, Usage } from '../bus/topics.js';
import type { Clock } from '../clock.js';
import type { Environment } from '../environment.js';
import type { Answer } from '../ledger/records.js';
import type { Logger } from '../log.js';
import type { WorkspaceSettings } from '../workspace/settings.js';
import type { TranscriptLine } from '../workspace/transcript.js';

export interface Driver {
  /** What `driver.name` in `workspace.json` selects. */
  readonly name: string;
  /**
   * Opens a conversation, or takes one up again: `context.history()` is empty for a new one. May throw; a RunFailure's
   * text is shown to the caller. Gives up soon after `signal` aborts.
   */
  open(context: DriverContext, signal: AbortSignal): DriverSession | Promise<DriverSession>;
  /** Called once, before any session is opened. */
  start?(): void;
  /** Frees what all its sessions share, and whatever of them is left. Called once they were closed. */
  stop?(): void | Promise<void>;
}

export interface DriverSession {
  /**
   * Runs one turn. `emit` may be called until the end is returned, and does nothing later. Settles soon after
   * `turn.signal` aborts, with `cancelled`.
   */
  run(turn: DriverTurn, emit: (event: DriverEvent) => void): Promise<TurnEnd>;
  /** Frees what the session holds; called once, also while a turn that ignored its abort still runs. */
  close(): void | Promise<void>;
  /** True once the session can't run another turn, e.g. because its process ended; the next turn opens a new one. */
  readonly broken?: boolean;
  /** How many idle sessions of its workspace may stay open, where each costs much; absent: as many as the runner keeps. */
  readonly idleLimit?: number;
}

/** What stays the same for a session's whole life. */
export interface DriverContext {
  workspace: string;
  /** Absolute path of the workspace's folder. */
  directory: string;
  contextId: string;
  caller: CallerRef;
  /** True for the operator's own conversation with the workspace. */
  owner: boolean;
  /** True for a task of this conversation's caller: what came of it is for them. */
  ownsTask(taskId: string): boolean;
  /** The session tools of the conversation, for drivers that have to offer them before the first turn. */
  tools: readonly ToolDeclaration[];
  /** As they were at opening. A change of `driver` or `tools` closes the session, and the next turn opens a new one. */
  settings: WorkspaceSettings;
  /** What was said before the turn that opens the session, oldest first. Reads the transcript: call it once. */
  history(): TranscriptLine[];
  /** Raw text of a file below `.a2a/` that belongs to the driver, as of now; undefined when missing. */
  file(name: string): string | undefined;
  /** The way out to what the owner configured, at private addresses too: the only one a driver has. */
  fetch: typeof fetch;
  /** Variables that the settings name. */
  environment: Environment;
  clock: Clock;
  log: Logger;
}

export interface DriverTurn {
  cid: string;
  /** From 1 within the task. */
  turn: number;
  /** The words of this turn's message: its text parts. */
  text: string;
  /** Its files (saved to the inbox) and data, in order. */
  attachments: readonly Attachment[];
  /** The words of the message that opened the task. */
  opening: string;
  /** Every question this task has asked and its answer, oldest first. */
  answers: readonly Answer[];
  /**
   * The prompt for a model: standing context, who is asking, and the message with its attachments. It tells of `tools`,
   * the session tools when absent: pass those that the model really has. Reads files.
   */
  frame(tools?: readonly ToolDeclaration[]): Frame;
  /** The message as one text with its attachments, without a frame. */
  message(): string;
  /** The session tools of this turn. */
  tools: readonly ToolDeclaration[];
  /** Runs a session tool with a model's arguments. A result with `end` asks the driver to end the turn with it. */
  callTool(name: string, args: unknown): Promise<ToolResult>;
  readonly signal: AbortSignal;
}

/** What happens during a turn. */
export type DriverEvent =
  /** Continues the open assistant message, or opens one. */
  | { type: 'delta'; text: string }
  | { type: 'message-end' }
  | { type: 'status'; text: string }
  | { type: 'tool-started'; tool: string }
  | { type: 'tool-finished'; tool: string; ok: boolean }
  /** `name` may be anything; it is made safe. `mediaType` follows from the name when absent. */
  | { type: 'file'; name: string; bytes: Uint8Array; mediaType?: string }
  | { type: 'text'; text: string }
  | { type: 'data'; data: unknown }
  /** A word to the workspace's owner. */
  | { type: 'notice'; text: string };

/** How a turn ends. */
export type TurnEnd =
  | { type: 'done'; usage?: Usage }
  | { type: 'question'; question: string; schema?: unknown; from: 'caller' | 'operator' }
  /** A known failure; the caller reads `text`. */
  | { type: 'failed'; text: string; code?: string; usage?: Usage }
  | { type: 'rejected'; text: string }
  | { type: 'cancelled' }
  /** An unexpected failure: logged, never shown, and the session is not used again. */
  | { type: 'crashed'; error: unknown };

export type Attachment =
  /** Saved below the workspace; `path` is relative to it, `size` in bytes. */
  | { kind: 'file'; path: string; mediaType: string; size: number }
  /** Its bytes are gone. */
  | { kind: 'missing'; name: string }
  | { kind: 'data'; json: string };

export interface Frame {
  /** Standing context and local time: the owner's words. */
  system: string;
  /** The two apart, for agents that keep the first and need only the second anew. `standing` may be empty. */
  standing: string;
  time: string;
  /** The message, framed when it comes from a third party. */
  prompt: string;
}

export interface ToolDeclaration {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: { type: 'object'; properties: Record<string, unknown>; required: string[] };
}

export interface ToolResult {
  ok: boolean;
  /** What the model is told. */
  text: string;
  /** The turn is to end with this. */
  end?: TurnEnd;
}
