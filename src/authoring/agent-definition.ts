// An agent in one function, as its author writes it: what it is called with, what it can do on the way, and what it returns.
import type { Message } from '../a2a-model.js';
import type { CallerRef } from '../bus/topics.js';
import type { Logger } from '../log.js';

/** A part of an answer or of a message to another agent. `mediaType` follows from the file's name when absent. */
export type AgentPart =
  | { text: string }
  | { data: unknown }
  | { url: string; filename?: string; mediaType?: string }
  | { bytes: Uint8Array; filename?: string; mediaType?: string };

/** A part of a message or a result as an agent reads it. */
export type ReceivedPart =
  | { text: string }
  | { data: unknown }
  | { url: string; filename?: string; mediaType?: string }
  | {
      filename?: string;
      mediaType?: string;
      /** Bytes. */
      size: number;
      /** The file. Throws a RunFailure when it is not stored any more. */
      bytes(): Uint8Array;
    };

/** A file, text, link to a file, or data of the result. Sent again under the same name it replaces the first. */
export type AgentArtifact = { name: string; description?: string } & (
  | { text: string; mediaType?: string }
  | { data: unknown }
  | { url: string; mediaType?: string }
  | { bytes: Uint8Array; mediaType?: string }
);

/** What the task is about. The same for every run of it, however often the function runs. */
export interface AgentPrompt {
  /** The words of the message that opened the task. */
  readonly text: string;
  /** All its parts, in order. */
  readonly parts: readonly ReceivedPart[];
  readonly taskId: string;
  /** The conversation. */
  readonly contextId: string;
  /** The skill that was asked for, if one was. */
  readonly skill?: string;
}

/** What another agent made of a message. */
export interface CallResult {
  taskId: string;
  contextId: string;
  /** `input-required` and `auth-required`: `text` is what it asks; answer with another call that names the task. */
  state: 'completed' | 'input-required' | 'auth-required';
  /** All text of the answer. */
  text: string;
  parts: ReceivedPart[];
  artifacts: { name: string; parts: ReceivedPart[] }[];
}

export interface CallOptions {
  /** Answers the question of this task. */
  taskId?: string;
  /** Goes on with a conversation; a new one when absent. */
  contextId?: string;
  skill?: string;
  subject?: string;
}

/** What an agent can do while it works, whichever way it replies. */
export interface WorkHandle {
  /** Aborted when nobody waits any more: a cancel, the deadline, shutdown. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Who asks. */
  readonly caller: CallerRef;
  /** What was said in this conversation with this caller, oldest first, this task included. */
  history(): Message[];
  /**
   * Does the work once in the task's life and returns its result every time: the result, plain JSON of at most 64 KiB, is
   * stored with the task before it is returned. A crash between the work and that moment has it done again.
   */
  once<T>(id: string, work: () => T | Promise<T>): Promise<T>;
  /**
   * Sends a message to another agent and waits until it is done, or asks. Throws a CallFailure when that fails. The same
   * call is not made twice within a day, also when the function runs again.
   */
  call(agent: string, message: string | AgentPart[], options?: CallOptions): Promise<CallResult>;
}

/** What an agent with tasks can do besides. */
export interface AgentHandle extends WorkHandle {
  /** A line for whoever watches, or a number: how many per cent are done. */
  progress(news: string | number): void;
  artifact(artifact: AgentArtifact): void;
  /**
   * Asks the caller. The first time this ends the run by throwing: let it pass, also through `catch`. When the answer
   * comes, perhaps days and a restart later, the function runs from its beginning and `ask` with the same id returns it:
   * its text, or its data as JSON where it holds no text. Files of an answer are in `history()`. `schema`, a JSON Schema,
   * tells the caller what is wanted; nothing checks the answer by it.
   */
  ask(id: string, question: string, options?: { schema?: unknown }): Promise<string>;
  /** Waits in the same way for the operator's consent. Declined, the task ends as rejected. */
  requireAuth(id: string, text: string): Promise<void>;
}

/** The answer: text, parts, or nothing where artifacts are all there is. */
export type AgentAnswer = string | AgentPart[];

export interface SkillDefinition {
  id: string;
  /** The id when absent. */
  name?: string;
  description?: string;
  tags?: string[];
  examples?: string[];
}

interface AgentFacts {
  /** `[a-z0-9-]{1,40}`, no other agent's. */
  name: string;
  /** What its card says. */
  description: string;
  skills?: readonly SkillDefinition[];
  /** False: only the operator and plugins reach it. */
  exposed?: boolean;
}

export interface TaskAgent extends AgentFacts {
  replies?: 'task';
  /** Skills whose prompts wait for the operator before anything runs; `*` for every prompt. */
  approval?: readonly string[];
  run(prompt: AgentPrompt, handle: AgentHandle): AgentAnswer | void | Promise<AgentAnswer | void>;
}

/** Answers with one Message. Its task stays internal; it neither asks nor shows progress. */
export interface MessageAgent extends AgentFacts {
  replies: 'message';
  run(prompt: AgentPrompt, handle: WorkHandle): AgentAnswer | Promise<AgentAnswer>;
}

/**
 * Answers some messages with one Message and makes tasks of the others: `replies` decides at once, by the message that
 * opens the task. Only a task's handle can ask and show progress: look for `'ask' in handle`.
 */
export interface ChoosingAgent extends AgentFacts {
  replies(opening: Message): 'task' | 'message';
  run(prompt: AgentPrompt, handle: WorkHandle | AgentHandle): AgentAnswer | void | Promise<AgentAnswer | void>;
}

export type AgentDefinition = TaskAgent | MessageAgent | ChoosingAgent;
