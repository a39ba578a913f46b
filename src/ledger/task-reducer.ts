// The one place where events become a task. Pure: no clock, no ids, no I/O, and never a change to its input.
import {
  isTerminal,
  textOf,
  type Artifact,
  type ArtifactUpdate,
  type Message,
  type Part,
  type StreamEvent,
  type Task,
  type TaskState,
} from '../a2a-model.js';
import type {
  CreatedEvent,
  JournalEntry,
  TaskEnvelope,
  TaskEvent,
  TaskRecord,
  TranscriptLine,
  Update,
} from './records.js';

/** The artifact that assistant messages stream into. */
export const RESPONSE_ARTIFACT = 'response';

export interface Reduction {
  record: TaskRecord;
  /** What streams and followers see, in order; the last one's seq is at most the record's. */
  updates: Update[];
  lines: TranscriptLine[];
}

/** Why an event does not fit a record, or undefined when it does. Late and foreign events are dropped, never applied. */
export function refusalOf(record: TaskRecord | undefined, event: TaskEvent): string | undefined {
  if (event.type === 'created') return record ? 'the task exists' : undefined;
  if (!record) return 'the task does not exist';
  const { envelope, task } = record;
  if (isTerminal(task.status.state)) return 'the task has ended';
  switch (event.type) {
    case 'canceled':
      return undefined;
    case 'message':
    case 'decision':
      return envelope.turnOpen ? 'a turn is running' : undefined;
    case 'turn-started':
      if (envelope.turnOpen) return 'a turn is running';
      return event.turn === envelope.turn ? undefined : 'not the current turn';
    case 'text':
    case 'status':
    case 'tool':
    case 'artifact':
    case 'question':
      return envelope.turnOpen && event.turn === envelope.turn ? undefined : 'not the running turn';
    case 'turn-ended':
      // A task that never started may end too: rejected, or failed before its first turn.
      if (!envelope.turnOpen && task.status.state !== 'TASK_STATE_SUBMITTED') return 'no turn is running';
      return event.turn === envelope.turn ? undefined : 'not the current turn';
    default:
      return event satisfies never;
  }
}

/** Applies one accepted entry (see `refusalOf`). */
export function reduce(before: TaskRecord | undefined, entry: JournalEntry): Reduction {
  const { event } = entry;
  if (event.type === 'created') return create(entry, event);
  if (!before) throw new Error('an event needs its task');
  const draft = new Draft(before, entry);
  apply(draft, event);
  return draft.done();
}

function apply(draft: Draft, event: Exclude<TaskEvent, CreatedEvent>): void {
  switch (event.type) {
    case 'message':
      return addMessage(draft, event);
    case 'decision':
      draft.envelope.turn = event.turn;
      draft.answer(event.decision);
      draft.line('operator', event.decision);
      return startTurn(draft, event.requestId);
    case 'turn-started':
      draft.userLine(draft.task.history[0]);
      return startTurn(draft);
    case 'text':
      if (event.pieces.length > 0) addText(draft, event.pieces);
      return event.end ? endMessage(draft) : undefined;
    case 'status':
      return draft.status('TASK_STATE_WORKING', draft.agentMessage([{ text: event.text }]));
    case 'tool':
      if (event.phase === 'finished') return;
      draft.line('tool', event.tool);
      return draft.status('TASK_STATE_WORKING', draft.agentMessage([{ text: `using ${event.tool}` }]));
    case 'artifact':
      return draft.putArtifact(event.artifact, event.append, event.lastChunk);
    case 'question': {
      closeAnswer(draft);
      const { question } = event;
      const message = draft.agentMessage([{ text: question.text }], {
        requestId: question.requestId,
        kind: 'input-request',
        ...(question.schema !== undefined && { schema: question.schema }),
      });
      draft.envelope.turnOpen = false;
      draft.envelope.question = question;
      draft.line('assistant', question.text);
      draft.say(message);
      return draft.status(
        question.from === 'caller' ? 'TASK_STATE_INPUT_REQUIRED' : 'TASK_STATE_AUTH_REQUIRED',
        message,
      );
    }
    case 'turn-ended':
      return endTurn(draft, event);
    case 'canceled':
      draft.envelope.turnOpen = false;
      draft.envelope.question = undefined;
      return draft.status(
        'TASK_STATE_CANCELED',
        event.reason ? draft.agentMessage([{ text: event.reason }]) : undefined,
      );
    default:
      return event satisfies never;
  }
}

function create(entry: JournalEntry, event: CreatedEvent): Reduction {
  const { at, seq, taskId } = entry;
  const task: Task = {
    id: taskId,
    contextId: event.contextId,
    status: { state: 'TASK_STATE_SUBMITTED', timestamp: isoTime(at) },
    artifacts: [],
    history: [{ ...event.message, taskId, contextId: event.contextId }],
  };
  const envelope: TaskEnvelope = {
    caller: event.caller,
    agent: event.agent,
    executor: event.executor,
    surface: event.surface,
    chain: event.chain,
    ...(event.skill !== undefined && { skill: event.skill }),
    ...(event.subject !== undefined && { subject: event.subject }),
    ...(event.synthetic && { synthetic: true }),
    ...(event.traceparent !== undefined && { traceparent: event.traceparent }),
    ...(event.deadlineAt !== undefined && { deadlineAt: event.deadlineAt }),
    turn: 1,
    turnOpen: false,
    seq,
    lines: 0,
    createdAt: at,
    updatedAt: at,
    transitions: [{ seq, state: 'TASK_STATE_SUBMITTED', at }],
    messages: [{ id: event.message.messageId, hash: event.hash, at }],
    answers: [],
  };
  const record = { task, envelope };
  const update: Update = { seq, state: 'TASK_STATE_SUBMITTED', turn: 1, event: { task }, requestId: event.requestId };
  if (!event.start) return { record, updates: [update], lines: [] };
  const draft = new Draft(record, { ...entry, seq: seq + 1 });
  draft.userLine(task.history[0]);
  startTurn(draft);
  const started = draft.done();
  return { ...started, updates: [update, ...started.updates] };
}

function startTurn(draft: Draft, requestId?: string): void {
  draft.envelope.turnOpen = true;
  draft.envelope.question = undefined;
  draft.status('TASK_STATE_WORKING', undefined, requestId);
}

function addMessage(draft: Draft, event: Extract<TaskEvent, { type: 'message' }>): void {
  const { envelope } = draft;
  envelope.turn = event.turn;
  envelope.messages = [...envelope.messages, { id: event.message.messageId, hash: event.hash, at: draft.entry.at }];
  draft.userLine(event.message);
  draft.say({ ...event.message, taskId: draft.task.id, contextId: draft.task.contextId });
  if (!event.start) return draft.note(event.requestId);
  draft.answer(textOf(event.message.parts));
  startTurn(draft, event.requestId);
}

/** Each piece is shown by itself; what is stored grows once by all of them. */
function addText(draft: Draft, pieces: readonly string[]): void {
  const { envelope } = draft;
  const chunk = (text: string): Artifact => ({ artifactId: RESPONSE_ARTIFACT, parts: [{ text }] });
  const append = envelope.speaking === true;
  envelope.speaking = true;
  envelope.unclosed = true;
  draft.storeArtifact(chunk(pieces.join('')), append);
  pieces.forEach((piece, i) => draft.showArtifact(chunk(piece), append || i > 0, false));
}

/** Ends the open assistant message: it becomes an agent's message of the history and a line of the transcript. */
function endMessage(draft: Draft): void {
  if (!draft.envelope.speaking) return;
  draft.envelope.speaking = undefined;
  const response = draft.task.artifacts.find((artifact) => artifact.artifactId === RESPONSE_ARTIFACT);
  const text = textOf(response?.parts ?? []);
  draft.line('assistant', text);
  draft.say(draft.agentMessage([{ text }]));
}

/** The run is over: its streamed answer gets the last chunk that nobody could mark while it was still growing. */
function closeAnswer(draft: Draft): void {
  endMessage(draft);
  if (!draft.envelope.unclosed) return;
  draft.envelope.unclosed = undefined;
  draft.putArtifact({ artifactId: RESPONSE_ARTIFACT, parts: [{ text: '' }] }, true, true);
}

function endTurn(draft: Draft, event: Extract<TaskEvent, { type: 'turn-ended' }>): void {
  const { envelope } = draft;
  const streamed = envelope.unclosed === true;
  closeAnswer(draft);
  if (!streamed && event.parts && event.parts.length > 0) {
    draft.putArtifact({ artifactId: RESPONSE_ARTIFACT, parts: event.parts }, false, true);
    draft.line('assistant', textOf(event.parts));
    draft.say(draft.agentMessage(event.parts));
  }
  envelope.turnOpen = false;
  envelope.question = undefined;
  if (event.usage) envelope.usage = event.usage;
  if (event.error) envelope.error = event.error;
  draft.status(event.state, event.error && draft.agentMessage([{ text: event.error.text }]));
}

/** A copy of the record that one event may change; collects what the change shows. */
class Draft {
  readonly task: Task;
  readonly envelope: TaskEnvelope;
  private readonly updates: Update[] = [];
  private readonly lines: TranscriptLine[] = [];

  constructor(
    before: TaskRecord,
    readonly entry: JournalEntry,
  ) {
    this.task = { ...before.task };
    this.envelope = { ...before.envelope, updatedAt: entry.at };
  }

  done(): Reduction {
    // Every event takes at least one position, also one that shows nothing, so that positions identify events.
    this.envelope.seq = this.entry.seq + Math.max(1, this.updates.length) - 1;
    return { record: { task: this.task, envelope: this.envelope }, updates: this.updates, lines: this.lines };
  }

  status(state: TaskState, message?: Message, requestId?: string): void {
    const status = { state, ...(message && { message }), timestamp: isoTime(this.entry.at) };
    if (state !== this.task.status.state) {
      const transition = { seq: this.nextSeq(), state, at: this.entry.at };
      this.envelope.transitions = [...this.envelope.transitions, transition];
    }
    this.task.status = status;
    const { id: taskId, contextId } = this.task;
    this.show({ statusUpdate: { taskId, contextId, status } }, requestId);
  }

  /** A step that changes nothing a stream shows, but that somebody waits for. */
  note(requestId: string): void {
    this.show(undefined, requestId);
  }

  putArtifact(chunk: Artifact, append: boolean, lastChunk: boolean): void {
    this.storeArtifact(chunk, append);
    this.showArtifact(chunk, append, lastChunk);
  }

  storeArtifact(chunk: Artifact, append: boolean): void {
    this.task.artifacts = mergeArtifact(this.task.artifacts, chunk, append);
  }

  showArtifact(chunk: Artifact, append: boolean, lastChunk: boolean): void {
    const { id: taskId, contextId } = this.task;
    const artifactUpdate: ArtifactUpdate = { taskId, contextId, artifact: chunk, append, lastChunk };
    this.show({ artifactUpdate });
  }

  say(message: Message): void {
    this.task.history = [...this.task.history, message];
  }

  /** A message of the agent whose id follows from its place, so that replaying makes the same one. */
  agentMessage(parts: Part[], metadata?: Message['metadata']): Message {
    const { id: taskId, contextId } = this.task;
    const messageId = `${taskId}-${this.nextSeq()}`;
    return { messageId, taskId, contextId, role: 'ROLE_AGENT', parts, ...(metadata && { metadata }) };
  }

  /** Records the answer to the open question, if there is one. */
  answer(answer: string): void {
    const { question } = this.envelope;
    if (!question) return;
    const { requestId, text, from } = question;
    this.envelope.answers = [...this.envelope.answers, { requestId, question: text, from, answer }];
  }

  line(role: TranscriptLine['role'], text: string, parts?: Part[]): void {
    const n = ++this.envelope.lines;
    const { turn } = this.envelope;
    this.lines.push({ taskId: this.task.id, n, turn, at: this.entry.at, role, text, ...(parts && { parts }) });
  }

  userLine(message: Message | undefined): void {
    if (message) this.line('user', textOf(message.parts), message.parts);
  }

  private nextSeq(): number {
    return this.entry.seq + this.updates.length;
  }

  private show(event: StreamEvent | undefined, requestId?: string): void {
    this.updates.push({
      seq: this.nextSeq(),
      state: this.task.status.state,
      turn: this.envelope.turn,
      ...(event && { event }),
      ...(requestId !== undefined && { requestId }),
    });
  }
}

/**
 * The artifacts with a chunk taken in: appended to the artifact of its id, else put in its place or added. An append to
 * an unknown id creates it (A2A leaves that open). Plain text appended to plain text stays one part.
 */
export function mergeArtifact(artifacts: readonly Artifact[], chunk: Artifact, append: boolean): Artifact[] {
  const at = artifacts.findIndex((artifact) => artifact.artifactId === chunk.artifactId);
  const known = artifacts[at];
  if (!known) return [...artifacts, chunk];
  const merged: Artifact = append ? { ...known, ...chunk, parts: appendParts(known.parts, chunk.parts) } : chunk;
  return artifacts.with(at, merged);
}

function appendParts(before: readonly Part[], added: readonly Part[]): Part[] {
  const parts = [...before];
  for (const part of added) {
    const last = parts.at(-1);
    if (last && isPlainText(last) && isPlainText(part)) parts[parts.length - 1] = { text: last.text + part.text };
    else parts.push(part);
  }
  return parts;
}

const isPlainText = (part: Part): part is { text: string } => 'text' in part && Object.keys(part).length === 1;

let lastTime = 0;
let lastIso = '';
/** ISO form of a time; remembered for the last one, since whole groups of events share their millisecond. */
function isoTime(at: number): string {
  if (at !== lastTime) {
    lastTime = at;
    lastIso = new Date(at).toISOString();
  }
  return lastIso;
}
