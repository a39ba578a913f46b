// What a peer answers, read leniently: tasks, messages and events in the shapes of both versions, wrapped or bare. Pure.
import { TASK_STATES, type TaskState } from '../a2a-model.js';
import { isObject } from '../read-json.js';
import { metadataOf, readParts, Unread } from './read-part.js';
import type {
  RemoteArtifact,
  RemoteEvent,
  RemoteMessage,
  RemoteStatus,
  RemoteTask,
  SendResult,
} from './remote-port.js';

type Json = Record<string, unknown>;

/** A value of the wire, and what was lost when its text was read. */
export interface Answer {
  value: unknown;
  unread: readonly string[];
  /** Data parts hold their value one level deeper (0.3 over REST). */
  doubleData?: boolean;
}

/** The task; undefined where there is none. */
export function readTask(answer: Answer): RemoteTask | undefined {
  const { value } = answer;
  const raw = isObject(value) && isObject(value['task']) ? value['task'] : value;
  return isTask(raw) ? new Reader(answer).task(raw) : undefined;
}

/** The list; undefined where there is none. */
export function readTaskList(answer: Answer): { tasks: RemoteTask[]; next: string } | undefined {
  const { value } = answer;
  if (!isObject(value)) return undefined;
  // ProtoJSON leaves out what is empty.
  const list = value['tasks'] ?? [];
  if (!Array.isArray(list)) return undefined;
  const tasks = list.filter(isTask).map((raw) => new Reader(answer).task(raw));
  return { tasks, next: textOf(value['nextPageToken']) };
}

/** What a message led to; undefined where the answer is neither task nor message. */
export function readSendResult(answer: Answer): SendResult | undefined {
  const event = readEvent(answer);
  if (event.kind === 'task') return { task: event.task };
  return event.kind === 'message' ? { message: event.message, unread: event.unread } : undefined;
}

export function readEvent(answer: Answer): RemoteEvent {
  const reader = new Reader(answer);
  const raw = answer.value;
  if (isObject(raw)) {
    if (isTask(raw['task'])) return { kind: 'task', task: reader.task(raw['task']) };
    const wrapped = raw['message'] ?? raw['msg'];
    if (isMessage(wrapped)) return reader.messageEvent(wrapped);
    const status = raw['statusUpdate'] ?? (raw['kind'] === 'status-update' ? raw : undefined);
    if (isObject(status)) return reader.statusEvent(status);
    const artifact = raw['artifactUpdate'] ?? (isObject(raw['artifact']) ? raw : undefined);
    if (isObject(artifact)) return reader.artifactEvent(artifact);
    if (raw['kind'] !== 'message' && isTask(raw)) return { kind: 'task', task: reader.task(raw) };
    if (isMessage(raw)) return reader.messageEvent(raw);
    if (isObject(raw['status'])) return reader.statusEvent(raw);
  }
  const names = isObject(raw) ? Object.keys(raw).slice(0, 5).join(', ').slice(0, 200) : typeof raw;
  return { kind: 'unread', unread: [...answer.unread, `an answer that is neither task, message nor update: ${names}`] };
}

const isTask = (raw: unknown): raw is Json => isObject(raw) && typeof raw['id'] === 'string' && isObject(raw['status']);

const isMessage = (raw: unknown): raw is Json =>
  isObject(raw) && (raw['kind'] === 'message' || Array.isArray(raw['parts']) || Array.isArray(raw['content']));

class Reader {
  private readonly unread = new Unread();

  constructor(private readonly answer: Answer) {
    for (const line of answer.unread) this.unread.add(line);
  }

  task(raw: Json): RemoteTask {
    return {
      id: raw['id'] as string,
      contextId: textOf(raw['contextId']),
      status: this.status(raw['status'] as Json),
      artifacts: listOf(raw['artifacts']).flatMap((artifact, i) => this.artifact(artifact, i)),
      history: listOf(raw['history']).flatMap((message) => (isObject(message) ? [this.message(message)] : [])),
      ...metadataOf(raw),
      unread: this.unread.lines,
    };
  }

  messageEvent(raw: Json): RemoteEvent & { kind: 'message' } {
    return { kind: 'message', message: this.message(raw), unread: this.unread.lines };
  }

  statusEvent(raw: Json): RemoteEvent {
    const status = this.status(isObject(raw['status']) ? raw['status'] : {});
    return { kind: 'status', ...idsOf(raw), status, unread: this.unread.lines };
  }

  artifactEvent(raw: Json): RemoteEvent {
    const [artifact] = this.artifact(raw['artifact'], 0);
    if (!artifact) return { kind: 'unread', unread: [...this.unread.lines, 'an artifact update without an artifact'] };
    return {
      kind: 'artifact',
      ...idsOf(raw),
      artifact,
      append: raw['append'] === true,
      lastChunk: raw['lastChunk'] === true,
      unread: this.unread.lines,
    };
  }

  private status(raw: Json): RemoteStatus {
    const message = raw['message'] ?? raw['update'];
    return {
      state: this.state(raw['state']),
      ...(isObject(message) && { message: this.message(message) }),
      ...(typeof raw['timestamp'] === 'string' && { timestamp: raw['timestamp'] }),
    };
  }

  /** What is no known state is work that goes on: nothing ends by a word that nobody understands. */
  private state(raw: unknown): TaskState {
    if (typeof raw === 'number') {
      const state = TASK_STATES[raw - 1];
      if (state) return state;
    }
    const name = typeof raw === 'string' ? raw.toUpperCase().replaceAll('-', '_').replace('CANCELLED', 'CANCELED') : '';
    const full = name.startsWith('TASK_STATE_') ? name : `TASK_STATE_${name}`;
    const known = TASK_STATES.find((state) => state === full);
    if (known) return known;
    this.unread.add(`the state ${JSON.stringify(raw ?? 'none').slice(0, 60)}, taken as working`);
    return 'TASK_STATE_WORKING';
  }

  private message(raw: Json): RemoteMessage {
    return {
      messageId: textOf(raw['messageId']),
      ...(isText(raw['contextId']) && { contextId: raw['contextId'] }),
      ...(isText(raw['taskId']) && { taskId: raw['taskId'] }),
      role: raw['role'] === 'user' || raw['role'] === 'ROLE_USER' || raw['role'] === 1 ? 'ROLE_USER' : 'ROLE_AGENT',
      parts: this.parts(raw['parts'] ?? raw['content']),
      ...metadataOf(raw),
      ...textList('extensions', raw['extensions']),
      ...textList('referenceTaskIds', raw['referenceTaskIds']),
    };
  }

  private artifact(raw: unknown, index: number): RemoteArtifact[] {
    if (!isObject(raw)) {
      this.unread.add('an artifact that is no object');
      return [];
    }
    return [
      {
        artifactId: isText(raw['artifactId']) ? raw['artifactId'] : `artifact-${index + 1}`,
        ...(isText(raw['name']) && { name: raw['name'] }),
        ...(isText(raw['description']) && { description: raw['description'] }),
        parts: this.parts(raw['parts']),
        ...metadataOf(raw),
        ...textList('extensions', raw['extensions']),
      },
    ];
  }

  private parts(raw: unknown): RemoteMessage['parts'] {
    return readParts(raw, this.unread, this.answer.doubleData);
  }
}

const idsOf = (raw: Json): { taskId: string; contextId: string } => ({
  taskId: textOf(raw['taskId']),
  contextId: textOf(raw['contextId']),
});

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const textList = <K extends string>(name: K, value: unknown): Partial<Record<K, string[]>> => {
  const texts = listOf(value).filter(isText);
  return texts.length > 0 ? ({ [name]: texts } as Record<K, string[]>) : {};
};
