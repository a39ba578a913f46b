// The record while one event changes it: copies what it touches, and collects what the change shows. The input stays as
// it was.
import type { Artifact, ArtifactUpdate, Message, Part, StreamEvent, Task, TaskState } from '../a2a-model.js';
import { textOf } from '../a2a-model.js';
import { mergeArtifact } from './artifact-chunks.js';
import { withPushEvent } from './push-configs.js';
import type { JournalEntry, PushEvent, TaskEnvelope, TaskRecord, TranscriptLine, Update } from './records.js';

export interface Reduction {
  record: TaskRecord;
  /** What streams and followers see, in order; the last one's seq is at most the record's. */
  updates: Update[];
  lines: TranscriptLine[];
}

export class Draft {
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

  push(event: PushEvent): void {
    this.envelope.pushConfigs = withPushEvent(this.envelope, event, this.entry.at);
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
    const { requestId, text, from, key } = question;
    const given = { requestId, question: text, from, ...(key !== undefined && { key }), answer };
    this.envelope.answers = [...this.envelope.answers, given];
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

let lastTime = 0;
let lastIso = '';
/** ISO form of a time; remembered for the last one, since whole groups of events share their millisecond. */
export function isoTime(at: number): string {
  if (at !== lastTime) {
    lastTime = at;
    lastIso = new Date(at).toISOString();
  }
  return lastIso;
}
