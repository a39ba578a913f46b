// Shows a remote task as the task here: each artifact, status and need once, however often a snapshot repeats it, also
// when the snapshot comes after a restart.
import { isDeepStrictEqual } from 'node:util';
import { textOf, type Artifact, type Part } from '../../../src/a2a-model.js';
import type { RemoteHandle } from '../../../src/executors/turns.js';
import { mergeArtifact } from '../../../src/ledger/artifact-chunks.js';
import type { AskedQuestion } from '../../../src/bus/parties.js';
import type { TaskRecord } from '../../../src/ledger/records.js';
import type {
  RemoteArtifact,
  RemoteEvent,
  RemoteMessage,
  RemotePart,
  RemoteStatus,
  RemoteTask,
} from '../../../src/remote/remote-port.js';
import { remoteOutcome, type RemoteOutcome } from '../../../src/remote/remote-outcome.js';
import { Allowance } from './allowance.js';
import { AnsweredQuestion, askedBy } from './answered-question.js';

/** Words of an end would take the place of an artifact of this id. */
const RESPONSE = 'response';

/** Different complaints about one task. */
const MOST_REPORTED = 100;

interface RelayPorts {
  handle: RemoteHandle;
  keep(parts: readonly RemotePart[]): Promise<Part[]>;
  /** Puts on record what the question is known by that ends the turn. */
  asked(question: AskedQuestion): Promise<void>;
  now(): number;
}

export class Relay {
  private shown: Artifact[];
  private readonly allowance: Allowance;
  private needsAuth: boolean;
  private lastWords: string | undefined;
  private lastSaid: Part[] = [];
  /** What was told to be unreadable: a snapshot says it again each time. */
  private readonly reported = new Set<string>();
  private readonly answered: AnsweredQuestion | undefined;
  private readonly turn: number;

  /** `record` is the task as it is known here when following begins. */
  constructor(
    { task, envelope }: TaskRecord,
    private readonly ports: RelayPorts,
  ) {
    this.turn = envelope.turn;
    this.answered = AnsweredQuestion.of({ envelope });
    this.shown = task.artifacts;
    this.allowance = new Allowance(envelope.agent, task.artifacts);
    this.needsAuth = task.status.state === 'TASK_STATE_AUTH_REQUIRED';
    this.lastWords = task.status.message && textOf(task.status.message.parts);
  }

  keep(parts: readonly RemotePart[]): Promise<Part[]> {
    return this.ports.keep(parts);
  }

  /** Takes in what the peer says. The end of the turn, when this was it. */
  async event(event: RemoteEvent): Promise<RemoteOutcome | undefined> {
    switch (event.kind) {
      case 'task':
        return this.snapshot(event.task);
      case 'message':
        this.report(event.unread);
        return this.answer(await this.ports.keep(event.message.parts));
      case 'status':
        this.report(event.unread);
        return this.status(event.status);
      case 'artifact':
        this.report(event.unread);
        await this.artifact(event.artifact, event.append, event.lastChunk);
        return undefined;
      case 'unread':
        this.report(event.unread);
        return undefined;
      default:
        return event satisfies never;
    }
  }

  private answer(parts: Part[]): RemoteOutcome {
    this.allowance.take(parts);
    return { kind: 'completed', parts };
  }

  async snapshot(task: RemoteTask): Promise<RemoteOutcome | undefined> {
    this.report(task.unread);
    for (const artifact of task.artifacts) await this.whole(artifact);
    const said = task.history.filter(({ role }) => role === 'ROLE_AGENT').at(-1);
    if (said) this.lastSaid = await this.ports.keep(said.parts);
    return this.status(task.status, task.history);
  }

  private async status(
    status: RemoteStatus,
    history: readonly RemoteMessage[] = [],
  ): Promise<RemoteOutcome | undefined> {
    const { state, message } = status;
    if (state !== 'TASK_STATE_INPUT_REQUIRED') this.answered?.goesOn();
    else if (this.answered?.isShownBy(status, history, this.ports.now())) return undefined;
    const words = message ? await this.ports.keep(message.parts) : [];
    if (message) this.lastSaid = words.length > 0 ? words : this.lastSaid;
    const end = remoteOutcome({ state, words, answered: this.answeredWithout(words), said: this.lastSaid });
    if (end) this.allowance.take(words);
    if (end?.kind === 'question') await this.ports.asked(askedBy(status, this.turn));
    if (end) return end;
    this.tell(state === 'TASK_STATE_AUTH_REQUIRED', message, textOf(words).trim());
    return undefined;
  }

  /** The artifacts are the whole answer: there are some, and the last words add nothing to them. */
  private answeredWithout(words: readonly Part[]): boolean {
    const text = textOf(words).trim();
    const told = this.shown.some(({ artifactId, parts }) => artifactId === RESPONSE || textOf(parts).trim() === text);
    return this.shown.length > 0 && (text === '' || told);
  }

  private tell(needsAuth: boolean, message: RemoteMessage | undefined, text: string): void {
    const { handle } = this.ports;
    const same = needsAuth === this.needsAuth && (text === '' || text === this.lastWords);
    if (same) return;
    const working = this.needsAuth && !needsAuth;
    this.allowance.take([{ text }]);
    this.needsAuth = needsAuth;
    if (message) this.lastWords = text;
    if (needsAuth) handle.authRequired(text || 'The remote agent waits for an authorization.');
    else if (text !== '') handle.status(text);
    else if (working) handle.working();
  }

  /** An artifact of a snapshot: shown unless it is what was shown already. */
  private async whole(artifact: RemoteArtifact): Promise<void> {
    const kept = await this.kept(artifact);
    const known = this.shown.find(({ artifactId }) => artifactId === kept.artifactId);
    if (kept.parts.length === 0 || (known && same(known, kept))) return;
    this.allowance.take(kept.parts);
    this.shown = mergeArtifact(this.shown, kept, false);
    this.ports.handle.artifact(kept, { append: false, lastChunk: true });
  }

  private async artifact(artifact: RemoteArtifact, append: boolean, lastChunk: boolean): Promise<void> {
    const kept = await this.kept(artifact);
    // A chunk may end an artifact without adding to it; one that is shown needs a part.
    if (kept.parts.length === 0 && !lastChunk) return;
    const chunk = kept.parts.length === 0 ? { ...kept, parts: [{ text: '' }] } : kept;
    const more = append || kept.parts.length === 0;
    this.allowance.take(chunk.parts);
    this.shown = mergeArtifact(this.shown, chunk, more);
    this.ports.handle.artifact(chunk, { append: more, lastChunk });
  }

  private async kept(artifact: RemoteArtifact): Promise<Artifact> {
    return { ...artifact, parts: await this.ports.keep(artifact.parts) };
  }

  private report(unread: readonly string[]): void {
    for (const line of unread) {
      if (this.reported.has(line) || this.reported.size >= MOST_REPORTED) continue;
      this.reported.add(line);
      this.ports.handle.status(`The agent sent something that can't be read: ${line}`);
    }
  }
}

/** Equal content, however the text came in pieces. */
const same = (a: Artifact, b: Artifact): boolean =>
  isDeepStrictEqual(joined(a), joined(b)) && isDeepStrictEqual(plain(a.metadata), plain(b.metadata));

const joined = ({ artifactId, parts }: Artifact): unknown =>
  plain(
    mergeArtifact([{ artifactId, parts: [] }], { artifactId, parts: parts.filter((part) => !isEmptyText(part)) }, true),
  );

const isEmptyText = (part: Part): boolean => 'text' in part && part.text === '';

const plain = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));
