// What the ledger stores: a task with its envelope (the checkpoint), and the events that lead there (the journal).
// Everything here is plain JSON; the reducer in task-reducer.ts is the only code that turns events into records.
import type { Artifact, Message, Part, PushConfig, StreamEvent, Task, TaskState } from '../a2a-model.js';
import type { RemoteRef } from '../bus/parties.js';
import type { CallerRef, Hop, ReplyTo, RunError, Surface, Usage } from '../bus/topics.js';

export type { RemoteRef } from '../bus/parties.js';

/** The version this code writes into every file; a file with a newer one is refused. */
export const RECORD_VERSION = 1;

export interface Transition {
  seq: number;
  state: TaskState;
  /** Milliseconds since the epoch. */
  at: number;
}

export interface Question {
  requestId: string;
  text: string;
  from: 'caller' | 'operator';
  schema?: unknown;
  /** The executor's own name for it. */
  key?: string;
}

export interface Answer {
  requestId: string;
  question: string;
  from: 'caller' | 'operator';
  /** The question's key, if it had one. */
  key?: string;
  /** The caller's words, or the operator's decision. */
  answer: string;
}

/** A result that a run wants to find again when it runs once more; `value` is absent for undefined. */
export interface Kept {
  id: string;
  value?: unknown;
}

/** The operator's consent to the whole task, asked before its first turn. Undecided while `decision` is absent. */
interface Approval {
  requestId: string;
  decision?: 'approve' | 'decline';
}

/** A message the task accepted, for recognising a resend. `hash` is over what the sender chose (see message-hash.ts). */
interface AcceptedMessage {
  id: string;
  hash: string;
  at: number;
  /** Who sent it, when that was not the task's caller: the operator may answer anybody's question. */
  by?: string;
}

/** A change of state that a webhook could not be told of in all its tries. */
export interface DeadLetter {
  /** The position of the change. */
  seq: number;
  /** When it was given up. */
  at: number;
  attempts: number;
  /** Why the last try failed: `status`, or why no answer was had. */
  reason: string;
  /** The last answer's HTTP status, if there was one. */
  status?: number;
  /** The operator wants it told after all. */
  again?: true;
}

/** A webhook, and how far it has been told: see owed-webhooks.ts for what it is owed. */
export interface PushRegistration extends PushConfig {
  acknowledged: number;
  createdAt: number;
  /** Oldest change first; absent when there are none. */
  dead?: DeadLetter[];
  /** Nothing is sent any more: it answered that it is gone, or the operator said so. */
  disabled?: { at: number; by: 'gone' | 'operator' };
}

/** A task's link to its task at a remote agent: the promise to follow that one until it settles. One per open turn. */
export interface Watch {
  /** Names it towards the peer too: its push config and its callback's address. `[A-Za-z0-9_-]{1,64}`. */
  id: string;
  /** The remote agent's name, as the caller's scope has it. */
  agent: string;
  /** `sending`: whether the message arrived is not known. `following`: the remote task is (see `RemoteRef`). */
  state: 'sending' | 'following';
  /** The message that was sent, or is about to be. */
  messageId: string;
  /** Milliseconds since the epoch. */
  since: number;
  /** SHA-256 in hex of the token that the peer's callbacks carry. */
  tokenHash?: string;
  /** Id of the last of the caller's messages that the peer was given, or is about to be. */
  passed: string;
}

/** Who is told what becomes of a task, and how far that is done. */
interface Reply extends ReplyTo {
  /** Everything up to this position was told. */
  acknowledged: number;
}

/** Everything about a task that the A2A task object has no place for. */
export interface TaskEnvelope {
  caller: CallerRef;
  agent: string;
  executor: string;
  /** Its turns are turns of a session, whose transcript shows them. */
  session?: boolean;
  /** Answered with one Message: the task is internal, and callers never see it. */
  direct?: boolean;
  skill?: string;
  surface: Surface;
  chain: Hop[];
  subject?: string;
  synthetic?: boolean;
  traceparent?: string;
  /** The current or last turn, from 1. */
  turn: number;
  /** True from the start of a turn until its one end. */
  turnOpen: boolean;
  /** Position of the last event. */
  seq: number;
  /** How many transcript lines this task has produced. */
  lines: number;
  createdAt: number;
  updatedAt: number;
  deadlineAt?: number;
  transitions: Transition[];
  messages: AcceptedMessage[];
  question?: Question;
  answers: Answer[];
  /** Absent when nothing was kept. */
  kept?: Kept[];
  /** Absent when none is needed. */
  approval?: Approval;
  error?: RunError;
  usage?: Usage;
  watch?: Watch;
  remote?: RemoteRef;
  /** The workspace whose agents.json names the agent, where that is not the caller's. */
  lookIn?: string;
  replyTo?: Reply;
  /** Oldest first; absent when there are none. */
  pushConfigs?: PushRegistration[];
  /** True while an assistant message is open: the next delta appends to the artifact `response`. */
  speaking?: boolean;
  /** True when the turn's deltas have not been closed by a last chunk yet. */
  unclosed?: boolean;
}

export interface TaskRecord {
  task: Task;
  envelope: TaskEnvelope;
}

/** Since when the task is in its state, milliseconds since the epoch. */
export const statusSince = ({ task, envelope }: TaskRecord): number =>
  Date.parse(task.status.timestamp) || (envelope.transitions.at(-1)?.at ?? envelope.updatedAt);

/** The content of `tasks/<taskId>.json`. */
export type Checkpoint = { v: typeof RECORD_VERSION } & TaskRecord;

export interface CreatedEvent {
  type: 'created';
  caller: CallerRef;
  agent: string;
  executor: string;
  contextId: string;
  message: Message;
  hash: string;
  requestId: string;
  /** The first turn starts at once; otherwise the task waits, submitted. */
  start: boolean;
  /** The task is kept but refused: it ends in the same step that creates it. */
  rejected?: RunError;
  /** The task waits for the operator, with this question, before its first turn. */
  approval?: Question;
  session?: boolean;
  direct?: boolean;
  surface: Surface;
  chain: Hop[];
  skill?: string;
  subject?: string;
  synthetic?: boolean;
  traceparent?: string;
  deadlineAt?: number;
  pushConfig?: PushConfig;
  lookIn?: string;
  replyTo?: ReplyTo;
}

/** What happens to a task's webhooks. Fits a task in any state and changes nothing that a client sees of the task. */
export type PushEvent =
  /** Adds one, or replaces the one of that id. */
  | { type: 'push-config'; config: PushConfig }
  | { type: 'push-config-deleted'; id: string }
  /** Everything up to and including position `upTo` needs no more telling, but for dead letters of other changes. */
  | { type: 'push-acknowledged'; id: string; upTo: number }
  /** All tries to tell of the change at `seq` have failed. */
  | ({ type: 'push-dead'; id: string } & Pick<DeadLetter, 'seq' | 'attempts' | 'reason' | 'status'>)
  /** The dead letters of these changes are owed again. */
  | { type: 'push-redriven'; id: string; seqs: number[] }
  | { type: 'push-disabled'; id: string; by: 'gone' | 'operator' }
  | { type: 'push-enabled'; id: string };

/** One accepted step of a task. Member `turn` is the turn it belongs to. */
export type TaskEvent =
  | CreatedEvent
  /** A further message of the caller. It starts the turn, or only adds to a task that waits for somebody else. */
  | {
      type: 'message';
      turn: number;
      message: Message;
      hash: string;
      requestId: string;
      start: boolean;
      by?: string;
      pushConfig?: PushConfig;
    }
  /** The operator's decision on an auth-required task. It starts the turn; `gone`: nobody is there to take it, and it ends the task. */
  | { type: 'decision'; turn: number; decision: 'approve' | 'decline'; requestId: string; gone?: true }
  /** The first turn of a task that waited. */
  | { type: 'turn-started'; turn: number }
  /** Pieces of the open assistant message; each is an update of its own. `end` closes the message. */
  | { type: 'text'; turn: number; pieces: string[]; end: boolean }
  /** `needs: 'auth'`: the remote agent waits for an authorization, and the turn stays open; without, it works (again). */
  | { type: 'status'; turn: number; text?: string; needs?: 'auth' }
  /** What is known of the work elsewhere. Members that are absent stay as they are. */
  | { type: 'watch'; turn: number; watch?: Watch; remote?: RemoteRef }
  | { type: 'kept'; turn: number; kept: Kept }
  | { type: 'tool'; turn: number; tool: string; phase: 'started' | 'finished'; ok?: boolean }
  | { type: 'artifact'; turn: number; artifact: Artifact; append: boolean; lastChunk: boolean }
  | { type: 'question'; turn: number; question: Question }
  | {
      type: 'turn-ended';
      turn: number;
      state: Extract<
        TaskState,
        'TASK_STATE_COMPLETED' | 'TASK_STATE_FAILED' | 'TASK_STATE_REJECTED' | 'TASK_STATE_CANCELED'
      >;
      parts?: Part[];
      error?: RunError;
      usage?: Usage;
    }
  | { type: 'canceled'; by: string; reason?: string }
  /** Whoever asked for the task was told everything up to position `upTo`. Fits a task in any state. */
  | { type: 'reply-acknowledged'; upTo: number }
  /** Nobody answered in time what it waits for. */
  | { type: 'expired' }
  | PushEvent;

/**
 * The last that a journal says of a task: it is gone, and with it goes what is named here and used by nobody else. Holds
 * all that is needed to finish that after a crash, when the task's file is gone already.
 */
export interface PurgedEvent {
  type: 'purged';
  /** The caller's id. */
  caller: string;
  agent: string;
  contextId: string;
  session?: boolean;
  blobs: string[];
}

interface Entry<E> {
  taskId: string;
  seq: number;
  /** Milliseconds since the epoch; never before the task's previous entry. */
  at: number;
  event: E;
}

/** One line of a journal segment. `seq` is the position of the event's first update. */
export type JournalEntry = Entry<TaskEvent>;
export type PurgedEntry = Entry<PurgedEvent>;

/** A committed step as streams see it. `event` is absent for steps that only change the envelope or the history. */
export interface Update {
  seq: number;
  state: TaskState;
  turn: number;
  event?: StreamEvent;
  requestId?: string;
}

export type { TranscriptLine } from '../workspace/transcript.js';
