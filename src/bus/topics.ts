// Read this first: every topic of the bus, who publishes it, and what it carries. Payloads are plain data; what
// belongs to one task ends in its cid, so `agent.prompt.progress.<cid>` is one task's progress and
// `agent.prompt.progress.*` everybody's.
import type { Artifact, Message, Part, StreamEvent, TaskState } from '../a2a-model.js';
import type { ErrorCode, ErrorDetails } from '../errors.js';
import type {
  PushAttempt,
  PushFailed,
  PushDead,
  PushDisabled,
  WatchEvent,
  WatchSettled,
  WatchDelivered,
} from './follower-events.js';
import type { CallerRef, Hop, ReplyTo } from './parties.js';

export type * from './follower-events.js';
export type * from './parties.js';

export type Surface = 'a2a' | 'operator' | 'plugin' | 'tool' | 'delivery';

/** A prompt as surfaces publish it. Nothing is created before the dispatcher admits it. */
export interface PromptRequest {
  /** Correlation id: the task's id. */
  cid: string;
  /** Names this request, so that the surface recognises its own refusal or admission. */
  requestId: string;
  /** True when the message continues the task `cid`, false when that task is to be created. */
  continues: boolean;
  contextId: string;
  /** The addressed agent, if one was named. */
  agent?: string;
  skill?: string;
  /** The workspace in whose agents.json the name is looked up first; the caller's own when absent. */
  lookIn?: string;
  replyTo?: ReplyTo;
  /** What a cooldown is counted by; the contextId when absent. */
  subject?: string;
  caller: CallerRef;
  message: Message;
  /** The operator's answer to an `auth-required` task; only the operator's surface sets it. */
  decision?: 'approve' | 'decline';
  /** A webhook is registered with the message. Who admits it asks the prompt port for it: it holds secrets. */
  webhook?: true;
  chain: Hop[];
  surface: Surface;
  /** Milliseconds since the epoch; the default turn deadline applies when absent. */
  deadlineAt?: number;
  /** W3C traceparent of the request that caused this one. */
  traceparent?: string;
  /** A probe or self-test: never counted as an outcome, never notifies an owner. */
  synthetic?: boolean;
}

export interface PromptAssigned {
  cid: string;
  turn: number;
  executor: string;
  agent: string;
  /** Why this agent: `named`, `skill` or `default`. */
  reason: 'named' | 'skill' | 'default';
  contextId: string;
  caller: CallerRef;
  skill?: string;
  chain: Hop[];
  deadlineAt?: number;
  traceparent?: string;
  synthetic?: boolean;
}

interface TurnEvent {
  cid: string;
  turn: number;
}

/** What a run shows before it ends. */
export type Progress =
  /** Pieces of the open assistant message, in order, that came together; `end` closes the message. */
  | { kind: 'text'; pieces: string[]; end: boolean }
  | { kind: 'status'; text: string }
  | { kind: 'tool-started'; tool: string }
  | { kind: 'tool-finished'; tool: string; ok: boolean }
  | { kind: 'artifact'; artifact: Artifact; append: boolean; lastChunk: boolean }
  | { kind: 'percent'; value: number }
  /** A remote agent waits for an authorization that is given elsewhere; the turn stays open. */
  | { kind: 'auth-required'; text: string }
  /** It works again, without a word about it. */
  | { kind: 'working' };
export type PromptProgress = TurnEvent & Progress;

/** Ends the turn with a question to the caller or a decision asked of the operator. */
export interface InputRequest extends TurnEvent {
  requestId: string;
  question: string;
  /** JSON Schema of the wanted answer, when the agent gave one. */
  schema?: unknown;
  /** The executor's own name for the question. */
  key?: string;
  /** `caller`: the task becomes input-required; `operator`: auth-required. */
  from: 'caller' | 'operator';
}

export interface Usage {
  inputTokens?: number;
  outputTokens?: number;
  totalTokens?: number;
}

/** A failure as the caller may see it: `text` is already redacted. */
export interface RunError {
  code: string;
  text: string;
  /** Seconds after which a new attempt may succeed, when a limit was the reason. */
  retryAfter?: number;
}

export interface Refusal {
  /** The dispatcher's guard that refused. */
  rule: string;
  code: ErrorCode;
  message: string;
  details?: ErrorDetails;
}

/**
 * Ends the turn, or refuses a request. A refusal carries `requestId` and `refusal` and ends no turn (turn 0): the task,
 * if it exists, stays as it is. `duplicateOf` names the task that already answers this message.
 */
export interface PromptResponse extends TurnEvent {
  state?: TaskState;
  parts?: Part[];
  error?: RunError;
  usage?: Usage;
  durationMs?: number;
  requestId?: string;
  refusal?: Refusal;
  duplicateOf?: string;
}

export interface PromptCancel {
  cid: string;
  by: string;
  reason?: string;
  /** Names this request: the cancel of work elsewhere can be refused, with a response that carries it. */
  requestId?: string;
}

/** The turn's work goes on at a remote agent, and whoever follows the watch will end the turn. */
export interface PromptDelegated extends TurnEvent {
  watchId: string;
  executor: string;
  /** The remote agent. */
  agent: string;
}

export interface PromptDropped {
  cid: string;
  caller: string;
  agent?: string;
  rule: string;
  code: ErrorCode;
  /** Milliseconds since the epoch until which the same request will be refused, when known. */
  until?: number;
}

export interface Outcome extends TurnEvent {
  executor: string;
  agent: string;
  skill?: string;
  caller: string;
  contextId: string;
  state: TaskState;
  durationMs: number;
  usage?: Usage;
  synthetic?: boolean;
}

/** A committed change of a task: published by the ledger only, after the commit. */
export interface TaskUpdated {
  taskId: string;
  cid: string;
  turn: number;
  /** Position in the task's one sequence of events. */
  seq: number;
  /** The A2A event of this position; absent for steps that no stream shows. */
  event?: StreamEvent;
  state: TaskState;
  /** The request that caused it, on the first event of a turn. */
  requestId?: string;
}

export interface OwnerNotified {
  workspace: string;
  caller: string;
  text: string;
  cid?: string;
}

export interface PluginFailed {
  plugin: string;
  topic: string;
  error: string;
}

/** Topic kind → payload. The kind is the topic without its trailing cid or executor. */
export interface TopicMap {
  'agent.prompt.request': PromptRequest;
  'agent.prompt.assigned': PromptAssigned;
  'agent.prompt.progress': PromptProgress;
  'agent.prompt.input.request': InputRequest;
  'agent.prompt.response': PromptResponse;
  'agent.prompt.cancel': PromptCancel;
  'agent.prompt.delegated': PromptDelegated;
  'agent.prompt.dropped': PromptDropped;
  'agent.outcome': Outcome;
  'task.updated': TaskUpdated;
  'push.delivered': PushAttempt;
  'push.failed': PushFailed;
  'push.dead': PushDead;
  'push.disabled': PushDisabled;
  'watch.started': WatchEvent;
  'watch.updated': WatchEvent;
  'watch.settled': WatchSettled;
  'watch.delivered': WatchDelivered;
  'owner.notified': OwnerNotified;
  'plugin.failed': PluginFailed;
}
export type TopicKind = keyof TopicMap;

/**
 * How each kind's full topic is built: the payload's member named here is its last segment, or the kind itself is the
 * topic. The map is complete by type, so a new kind can't be forgotten.
 */
export const TOPIC_SUFFIX: { readonly [K in TopicKind]: (keyof TopicMap[K] & string) | null } = {
  'agent.prompt.request': null,
  'agent.prompt.assigned': 'executor',
  'agent.prompt.progress': 'cid',
  'agent.prompt.input.request': 'cid',
  'agent.prompt.response': 'cid',
  'agent.prompt.cancel': 'cid',
  'agent.prompt.delegated': 'cid',
  'agent.prompt.dropped': null,
  'agent.outcome': null,
  'task.updated': 'taskId',
  'push.delivered': null,
  'push.failed': null,
  'push.dead': null,
  'push.disabled': null,
  'watch.started': null,
  'watch.updated': null,
  'watch.settled': null,
  'watch.delivered': null,
  'owner.notified': null,
  'plugin.failed': null,
};

export const TOPIC_KINDS = Object.keys(TOPIC_SUFFIX) as TopicKind[];
