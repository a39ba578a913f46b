// Who has to do with a prompt: who asks, whom it passed on its way, and who is told what becomes of it.

/** Who asks: `<workspace>/<name>`, `operator` or `plugin/<name>`, and the scope that stores this caller's tasks. */
export interface CallerRef {
  id: string;
  /** A workspace's name, or `operator`. */
  scope: string;
}

/** Names one conversation: the same triple means the same session and transcript. `caller` is the caller's id. */
export interface Conversation {
  caller: string;
  agent: string;
  contextId: string;
}

/** One switchboard crossing: opaque hashes, so that a chain tells nothing about who ran what. */
export interface Hop {
  switchboard: string;
  agent: string;
}

/** The conversation that asked for a task, and is told what becomes of it. Its caller is the task's. */
export interface ReplyTo {
  agent: string;
  contextId: string;
  /** The task whose turn asked. */
  taskId: string;
  /** It waits itself, and nobody tells it later: a plugin's agent has no conversation that could be told. */
  waits?: true;
}

/** Where a task's work is done at a remote agent. Outlives the watch, so that what comes next continues there. */
export interface RemoteRef {
  agent: string;
  taskId?: string;
  contextId?: string;
  /** The last question that the remote task asked. */
  asked?: AskedQuestion;
}

/** What a question is known by when the remote agent shows it again. */
export interface AskedQuestion {
  /** The turn here that it ended. */
  turn: number;
  /** Those of the status that asked, where it had them. */
  messageId?: string;
  timestamp?: string;
  /** SHA-256 in hex of its text. */
  words: string;
}
