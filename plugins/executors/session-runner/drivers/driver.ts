// What a driver is: it holds one conversation and runs one turn at a time. It tells what happens as events and ends
// each turn with exactly one TurnEnd: a failure is an end like any other, never an exception for others to catch.
import type { CallerRef } from '../../../../src/bus/topics.js';
import type { Clock } from '../../../../src/clock.js';
import type { Environment } from '../../../../src/environment.js';
import type { Answer } from '../../../../src/ledger/records.js';
import type { Logger } from '../../../../src/log.js';
import type { WorkspaceSettings } from '../../../../src/workspace/settings.js';
import type { TranscriptLine } from '../../../../src/workspace/transcript.js';
import type { Attachment } from '../incoming-message.js';
import type { Frame } from '../framing.js';
import type { ToolDeclaration, ToolResult } from '../tools.js';
import type { DriverEvent, TurnEnd } from './events.js';

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
