// Everything any client saw of each task. Nothing is assumed: what was not received in full was not seen.
import { isTerminal, type TaskState } from '../../src/a2a-model.js';
import type { Webhooks } from './webhooks.js';
import type { SeenEvent, WireArtifact, WirePart, WireTask } from '../support/a2a-client.js';

export interface SeenArtifact {
  text: string;
  /** True when the artifact was seen in a terminal task: it can't grow any more. */
  whole: boolean;
}

export interface SeenTask {
  id: string;
  /** Name of the caller, or `operator`. */
  owner: string;
  contextId: string;
  /** Seen without a position: in answers. */
  states: Set<TaskState>;
  /** Seen with a position: in streams. */
  positions: Map<number, TaskState>;
  terminal?: TaskState;
  /** It was seen waiting for an answer, and none was sent that it could have got. */
  waiting?: TaskState;
  /** By artifact id. */
  artifacts: Map<string, SeenArtifact>;
  /** Accepted messages: id → its parts. */
  messages: Map<string, string>;
  /** The texts that the artifact `response` holds one after the other. */
  plan: string[];
}

/** A message as it was sent, with its text alone when it can be sent again as it is. */
export interface Sent {
  messageId: string;
  parts: WirePart[];
}

export class Model {
  readonly tasks = new Map<string, SeenTask>();
  /** Tasks that were seen and then purged: nobody may see them again. */
  readonly purged = new Set<string>();
  /** Called with the number of tasks for each new one. */
  onTask: (count: number) => void = () => undefined;
  /** What contradicted something seen before, while the server ran. */
  readonly contradictions: string[] = [];

  /** Where tasks have their webhooks; absent: they have none. */
  constructor(readonly webhooks?: Webhooks) {}

  /** Acknowledged tasks and messages. */
  get acknowledged(): number {
    let messages = 0;
    for (const task of this.tasks.values()) messages += task.messages.size;
    return this.tasks.size + messages;
  }

  /** A task in an answer or at the start of a stream; with it the message that it acknowledges. */
  saw(owner: string, task: WireTask, options: { sent?: Sent; seq?: number; plan?: string[] } = {}): SeenTask {
    const seen = this.find(owner, task);
    if (options.plan) seen.plan = options.plan;
    if (options.sent) seen.messages.set(options.sent.messageId, content(options.sent.parts));
    const { state } = task.status;
    if (options.seq === undefined) seen.states.add(state);
    else this.position(seen, options.seq, state);
    this.reached(seen, state);
    for (const artifact of task.artifacts ?? [])
      this.artifact(seen, artifact, artifactText(artifact), isTerminal(state));
    return seen;
  }

  /** One later event of a stream. `texts` is what this stream has shown of each artifact so far, and is kept here. */
  sawEvent(seen: SeenTask, { seq, event }: SeenEvent, texts: Map<string, string>): void {
    if (event.statusUpdate) {
      const { state } = event.statusUpdate.status;
      this.position(seen, seq, state);
      this.reached(seen, state);
    } else if (event.artifactUpdate) {
      const { artifact, append } = event.artifactUpdate;
      const before = append === true ? (texts.get(artifact.artifactId) ?? '') : '';
      const text = before + artifactText(artifact);
      texts.set(artifact.artifactId, text);
      this.artifact(seen, artifact, text, false);
    }
  }

  /** A message that the task acknowledged. */
  accepted(seen: SeenTask, sent: Sent): void {
    seen.messages.set(sent.messageId, content(sent.parts));
  }

  /** Something is about to be sent that may move the task on, whatever becomes of the request. */
  moving(seen: SeenTask): void {
    seen.waiting = undefined;
  }

  /** These are gone, as they may be once they have ended. */
  isPurged(ids: Iterable<string>): void {
    for (const id of ids) {
      this.purged.add(id);
      this.tasks.delete(id);
    }
  }

  private find(owner: string, task: WireTask): SeenTask {
    const known = this.tasks.get(task.id);
    if (known) return known;
    const seen: SeenTask = {
      id: task.id,
      owner,
      contextId: task.contextId,
      states: new Set(),
      positions: new Map(),
      artifacts: new Map(),
      messages: new Map(),
      plan: [],
    };
    this.tasks.set(task.id, seen);
    this.onTask(this.tasks.size);
    return seen;
  }

  private position(seen: SeenTask, seq: number, state: TaskState): void {
    if (!Number.isInteger(seq)) return void this.contradictions.push(`${seen.id}: an event without a position`);
    const before = seen.positions.get(seq);
    if (before !== undefined && before !== state) {
      this.contradictions.push(`${seen.id}: position ${seq} was ${before} and is ${state}`);
    }
    seen.positions.set(seq, state);
  }

  private reached(seen: SeenTask, state: TaskState): void {
    if (seen.terminal !== undefined && isTerminal(state) && state !== seen.terminal) {
      this.contradictions.push(`${seen.id}: was ${seen.terminal} and is ${state}`);
    }
    if (isTerminal(state)) {
      seen.terminal = state;
      seen.waiting = undefined;
    } else if (state === 'TASK_STATE_INPUT_REQUIRED' || state === 'TASK_STATE_AUTH_REQUIRED') {
      seen.waiting = state;
    }
  }

  private artifact(seen: SeenTask, { artifactId }: WireArtifact, text: string, whole: boolean): void {
    const before = seen.artifacts.get(artifactId);
    if (before === undefined || follows(text, before.text, seen.plan)) seen.artifacts.set(artifactId, { text, whole });
    else if (!follows(before.text, text, seen.plan)) {
      this.contradictions.push(`${seen.id}: artifact ${artifactId} was ${short(before.text)} and is ${short(text)}`);
    }
  }
}

/** True when an artifact that was `before` may be `now` later: grown, or replaced by a later message of the plan. */
export function follows(now: string, before: string, plan: readonly string[]): boolean {
  if (now.startsWith(before)) return true;
  const place = (text: string): number => plan.findIndex((whole) => whole.startsWith(text));
  const [from, to] = [place(before), place(now)];
  return from >= 0 && to > from;
}

/** What an artifact says, its files and data included. */
export const artifactText = ({ parts }: WireArtifact): string =>
  parts.map((part) => ('text' in part ? part.text : JSON.stringify('raw' in part ? part.raw : part))).join('');

/** What a message says, whatever else its parts carry. */
export const content = (parts: readonly WirePart[]): string =>
  JSON.stringify(parts.map((part) => ('text' in part ? part.text : 'raw' in part ? part.raw : part)));

export const short = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 57)}…` : text);
