// Agents elsewhere, as the rest of the product uses them: who they are, and the operations that A2A has, in this
// product's own data model. How they are reached (version, binding, key, card) stays behind this port.
import type { Artifact, Message, Part, Task, TaskStatus } from '../a2a-model.js';
import type { AgentSkill } from '../executors/contract.js';

/** Where bytes go that come with a part: `Part` holds files by reference. */
export type InlineFile = { bytes: Uint8Array; filename?: string; mediaType?: string };

/** A remote's part before it is stored: like `Part`, but a file's bytes come with it. */
export type RemotePart = Exclude<Part, { blob: string }> | (InlineFile & { metadata?: Record<string, unknown> });

type WithRemoteParts<T> = Omit<T, 'parts'> & { parts: RemotePart[] };
export type RemoteMessage = WithRemoteParts<Message>;
export type RemoteArtifact = WithRemoteParts<Artifact>;
export type RemoteStatus = Omit<TaskStatus, 'message' | 'timestamp'> & { message?: RemoteMessage; timestamp?: string };
export interface RemoteTask extends Omit<Task, 'status' | 'artifacts' | 'history'> {
  status: RemoteStatus;
  artifacts: RemoteArtifact[];
  history: RemoteMessage[];
  /** What the peer sent and this side can't read, one line each; never dropped in silence. */
  unread: string[];
}

/** What a stream of a peer brings. */
export type RemoteEvent =
  | { kind: 'task'; task: RemoteTask }
  | { kind: 'message'; message: RemoteMessage; unread: string[] }
  | { kind: 'status'; taskId: string; contextId: string; status: RemoteStatus; unread: string[] }
  | {
      kind: 'artifact';
      taskId: string;
      contextId: string;
      artifact: RemoteArtifact;
      append: boolean;
      lastChunk: boolean;
      unread: string[];
    }
  /** Something came that this side knows nothing of. */
  | { kind: 'unread'; unread: string[] };

/** Why a call did not work. `text` is readable and holds no secret; `peer` is who it was about. */
export type RemoteFault =
  /** The name is not configured; the text lists the ones that are. */
  | 'unknown-agent'
  /** agents.json could not be read. */
  | 'unreadable-config'
  /** 401 or 403. */
  | 'rejected-key'
  /** No connection, no card, a broken answer, or the breaker is open. `sent` tells whether the request may have arrived. */
  | 'unreachable'
  /** The peer answered with an A2A error. */
  | 'refused'
  /** The peer does not know the task (any more). */
  | 'task-not-found'
  /** The peer is busy with a task of this context. */
  | 'busy'
  /** The peer does not offer the operation. */
  | 'unsupported'
  /** No answer within the time allowed. */
  | 'timeout'
  | 'aborted';

/** A remote operation in progress must end soon after `signal` aborts. */
export interface CallOptions {
  signal?: AbortSignal;
  /** W3C traceparent that travels with the call; one is made when absent. */
  traceparent?: string;
  /**
   * Milliseconds without an answer, after which the call fails as `timeout`; for a stream, between two pieces of it. When
   * absent: 30 s, 90 s for a stream, none for `send`.
   */
  timeoutMs?: number;
}

export interface SendRequest {
  /** Id, parts, and the remote's own taskId and contextId where the message continues something. */
  message: RemoteMessage;
  /** Metadata of the request, e.g. the hop chain and the skill. */
  metadata?: Record<string, unknown>;
}

export type SendResult = { task: RemoteTask } | { message: RemoteMessage; unread: string[] };

/**
 * One remote agent, reached. Every operation throws `RemoteError`. What can be repeated without harm is; where the card
 * names several ways to the agent, the next one is taken if one fails before the request has arrived, so `protocol` and
 * `binding` may change with a call.
 */
export interface Peer {
  readonly agent: string;
  readonly protocol: '1.0' | '0.3';
  readonly binding: 'JSONRPC' | 'HTTP+JSON' | 'GRPC';
  /** What its card offers. */
  readonly offers: { streaming: boolean; push: boolean; list: boolean };
  /** A message that is sent twice is worked on once: by its card's extension, or as its owner declares. */
  readonly idempotent: boolean;
  /** Asks for an immediate return; a peer may ignore that, so the answer can take as long as the work. */
  send(request: SendRequest, options?: CallOptions): Promise<SendResult>;
  get(taskId: string, options?: CallOptions & { historyLength?: number }): Promise<RemoteTask>;
  cancel(taskId: string, options?: CallOptions): Promise<RemoteTask>;
  /**
   * From a snapshot on (0.3 peers may leave that out). Ends when the peer ends it after a Message, an end or an
   * interrupted state; throws `unreachable` when it is cut, an earlier clean end included, `timeout` when nothing, not
   * even a comment, came for the idle time, `unsupported` for a task that has ended: read it.
   */
  subscribe(taskId: string, options?: CallOptions): AsyncIterable<RemoteEvent>;
  /** The newest tasks of this key at the peer, all pages up to 20; for finding the one that a message began. */
  list(query: { contextId?: string; pageSize?: number }, options?: CallOptions): Promise<RemoteTask[]>;
  setPush(taskId: string, config: { id: string; url: string; token: string }, options?: CallOptions): Promise<void>;
  deletePush(taskId: string, configId: string, options?: CallOptions): Promise<void>;
  /**
   * The bytes behind a part's URL, with the key only to the agent's own origin. Throws when larger than `maxBytes`.
   */
  download(url: string, maxBytes: number, options?: CallOptions): Promise<InlineFile>;
}

/** What is known of a remote agent without calling it now. */
export interface RemoteAgentView {
  name: string;
  /** Where it is configured: in the agents.json of the workspace that was asked for, or in the home's list. */
  listed: 'workspace' | 'home';
  /** The configured address, without user info, query and fragment. */
  url: string;
  description?: string;
  skills: AgentSkill[];
  /** `unknown` until it was first asked. */
  reachable: 'yes' | 'no' | 'unknown';
  /** Why it could not be reached last. */
  problem?: string;
  /** ISO 8601, of the last successful contact. */
  lastSeen?: string;
  /** ISO 8601. It failed so often in a row that it is not asked before then. */
  leftAloneUntil?: string;
  protocols?: string[];
  bindings?: string[];
}

export interface RemoteAgents {
  /** Names are looked up in the scope's agents.json, then in the home's list. Cheap: reads cached state only. */
  find(name: string, scope: string): RemoteAgentView | undefined;
  /** Both lists, the scope's own first; a name that is in both comes twice. */
  list(scope: string): RemoteAgentView[];
  /** All that any list names, each with the workspace whose list that is, or `operator` for the home's. */
  all(): (RemoteAgentView & { scope: string })[];
  /** Why the scope's file can't be read at the moment. */
  unreadable(scope: string): string | undefined;
  /** Reads cards anew where HTTP caching says so, and tells what was found. Never throws. */
  probe(scope: string, options?: CallOptions): Promise<RemoteAgentView[]>;
  /** Card (cached), version and binding chosen. Throws `RemoteError`. */
  connect(name: string, scope: string, options?: CallOptions): Promise<Peer>;
  /** Where callbacks to this agent should lead: its own `callbackUrl`, else undefined. */
  callbackUrl(name: string, scope: string): string | undefined;
}
