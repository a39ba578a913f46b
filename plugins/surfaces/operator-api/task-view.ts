// A committed task as the operator reads it: one flat object with the answer, the open question, and what to do next.
import {
  isSettled,
  isTerminal,
  isWaiting,
  shortState,
  textOf,
  type Part,
  type TaskState,
} from '../../../src/a2a-model.js';
import type { TaskHead } from '../../../src/ledger/ledger-port.js';
import type { TaskRecord } from '../../../src/ledger/records.js';
import { RESPONSE_ARTIFACT } from '../../../src/ledger/spoken-answer.js';
import type { TaskView, WirePart, WireTaskRow } from '../../../src/operator-wire.js';

export interface ViewPorts {
  baseUrl(): string;
  /** Parts of a task of that scope with the bytes of their files. */
  inline(parts: readonly Part[], scope: string): WirePart[];
}

export const pollUrl = (base: string, cid: string): string => `${base}/api/a2a/task/${encodeURIComponent(cid)}`;

type ShortState = WireTaskRow['taskState'];
const flags = (state: TaskState): { taskState: ShortState; done: boolean; pending: boolean } => ({
  taskState: shortState(state) as ShortState,
  done: isTerminal(state),
  pending: !isSettled(state),
});

/** What the agent said last: its message, else what the status says about the end, else the words of its artifacts. */
function answerOf({ task, envelope }: TaskRecord): { response: string; parts: Part[] } {
  const { state, message } = task.status;
  const said = task.artifacts.find((artifact) => artifact.artifactId === RESPONSE_ARTIFACT)?.parts;
  if (state === 'TASK_STATE_FAILED' || state === 'TASK_STATE_REJECTED') {
    const parts = message?.parts ?? [];
    return { response: envelope.error?.text ?? textOf(parts), parts: said ?? parts };
  }
  const parts = said ?? (isTerminal(state) ? (message?.parts ?? []) : []);
  const words = parts.length > 0 ? [textOf(parts)] : task.artifacts.map((artifact) => textOf(artifact.parts));
  return { response: words.filter((text) => text !== '').join('\n'), parts };
}

export function taskView(record: TaskRecord, ports: ViewPorts): TaskView {
  const { task, envelope } = record;
  const inline = (parts: readonly Part[]): WirePart[] => ports.inline(parts, envelope.caller.scope);
  const { response, parts } = answerOf(record);
  const others = task.artifacts.filter((artifact) => artifact.artifactId !== RESPONSE_ARTIFACT);
  const waits = isWaiting(task.status.state);
  return {
    cid: task.id,
    taskId: task.id,
    contextId: task.contextId,
    agent: envelope.agent,
    ...flags(task.status.state),
    response,
    parts: inline(parts),
    ...(others.length > 0 && { artifacts: others.map((artifact) => ({ ...artifact, parts: inline(artifact.parts) })) }),
    ...(waits && {
      question: envelope.question?.text ?? textOf(task.status.message?.parts ?? []),
      ...(envelope.question && { requestId: envelope.question.requestId }),
    }),
    ...(envelope.usage !== undefined && { usage: envelope.usage }),
    ...(envelope.error !== undefined && { error: { code: envelope.error.code, message: envelope.error.text } }),
    pollUrl: pollUrl(ports.baseUrl(), task.id),
  };
}

/** The answer about a task that never existed. */
export const unknownTask = (cid: string, base: string): TaskView => ({
  cid,
  taskId: cid,
  taskState: 'unknown',
  done: false,
  pending: false,
  response: '',
  parts: [],
  pollUrl: pollUrl(base, cid),
});

export const taskRow = ({ record, task }: TaskHead, base: string): WireTaskRow => ({
  cid: task.id,
  taskId: task.id,
  contextId: task.contextId,
  agent: record.agent,
  caller: record.caller,
  ...flags(task.status.state),
  updatedAt: task.status.timestamp,
  pollUrl: pollUrl(base, task.id),
});
