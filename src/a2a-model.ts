// The A2A 1.0 data model as the core keeps it: ProtoJSON shapes, except that file bytes live in blobs and are
// referenced here. Only the edges (a2a-bridge, a2a-executor) know the SDK's own types.

/** Task states by their wire names (A2A 1.0 §4.1.3). */
export const TASK_STATES = [
  'TASK_STATE_SUBMITTED',
  'TASK_STATE_WORKING',
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_INPUT_REQUIRED',
  'TASK_STATE_REJECTED',
  'TASK_STATE_AUTH_REQUIRED',
] as const;
export type TaskState = (typeof TASK_STATES)[number];

export type TerminalState =
  'TASK_STATE_COMPLETED' | 'TASK_STATE_FAILED' | 'TASK_STATE_CANCELED' | 'TASK_STATE_REJECTED';

const TERMINAL: ReadonlySet<string> = new Set<TerminalState>([
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_REJECTED',
]);

/** True when the state never changes again. */
export const isTerminal = (state: TaskState): state is TerminalState => TERMINAL.has(state);

export const WAITING_STATES: readonly TaskState[] = ['TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_AUTH_REQUIRED'];
export const TERMINAL_STATES: readonly TaskState[] = TASK_STATES.filter(isTerminal);

/** True when it goes on only after somebody said something: the caller or the operator. */
export const isWaiting = (state: TaskState): boolean => WAITING_STATES.includes(state);

/** True when a blocking call returns: terminal, or waiting for the caller or the operator. */
export const isSettled = (state: TaskState): boolean => isTerminal(state) || isWaiting(state);

/** `TASK_STATE_INPUT_REQUIRED` → `input-required`: how the operator's surfaces write a state. */
export const shortState = (state: TaskState): string =>
  state.slice('TASK_STATE_'.length).toLowerCase().replaceAll('_', '-');

export type Metadata = Record<string, unknown>;

interface PartAttributes {
  filename?: string;
  mediaType?: string;
  metadata?: Metadata;
}

export type TextPart = PartAttributes & { text: string };
export type UrlPart = PartAttributes & { url: string };
export type DataPart = PartAttributes & { data: unknown };
/** A file whose bytes are stored once under `blobs/<sha256>` of the task's scope; `size` is in bytes. */
export type BlobPart = PartAttributes & { blob: string; size: number };
export type Part = TextPart | UrlPart | DataPart | BlobPart;

export interface Message {
  messageId: string;
  contextId?: string;
  taskId?: string;
  role: 'ROLE_USER' | 'ROLE_AGENT';
  parts: Part[];
  metadata?: Metadata;
  extensions?: string[];
  referenceTaskIds?: string[];
}

export interface Artifact {
  artifactId: string;
  name?: string;
  description?: string;
  parts: Part[];
  metadata?: Metadata;
  extensions?: string[];
}

export interface TaskStatus {
  state: TaskState;
  message?: Message;
  /** ISO 8601, UTC, milliseconds, `Z`. */
  timestamp: string;
}

export interface Task {
  id: string;
  contextId: string;
  status: TaskStatus;
  artifacts: Artifact[];
  history: Message[];
  metadata?: Metadata;
}

export interface StatusUpdate {
  taskId: string;
  contextId: string;
  status: TaskStatus;
  metadata?: Metadata;
}

export interface ArtifactUpdate {
  taskId: string;
  contextId: string;
  artifact: Artifact;
  append: boolean;
  lastChunk: boolean;
}

/** A webhook of a task, as its caller registered it. Token and credentials are secrets. */
export interface PushConfig {
  /** `[A-Za-z0-9_-]{1,64}`, unique within the task. */
  id: string;
  url: string;
  /** Sent back in a header of its own, for the receiver to recognise. */
  token?: string;
  authentication?: { scheme: string; credentials?: string };
  /** The protocol version that it was registered with, and whose bodies it expects. */
  version: '1.0' | '0.3';
}

/** One event of a task's stream: exactly one member is set. */
export type StreamEvent = { task: Task } | { statusUpdate: StatusUpdate } | { artifactUpdate: ArtifactUpdate };

/** All text of some parts, in order, joined without separator; other kinds of parts are skipped. */
export const textOf = (parts: readonly Part[]): string =>
  parts.map((part) => ('text' in part ? part.text : '')).join('');

/** What some parts say to who reads texts: their text, or, where there is none, their data as JSON, a line for each. */
export const wordsOf = (parts: readonly Part[]): string =>
  textOf(parts) || parts.flatMap((part) => ('data' in part ? [JSON.stringify(part.data)] : [])).join('\n');
