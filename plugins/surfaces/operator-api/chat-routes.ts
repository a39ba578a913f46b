// Chat, delegate and input: how the operator's words reach an agent, and how long the request stays for the answer.
import { isSettled, isWaiting } from '../../../src/a2a-model.js';
import { AppError } from '../../../src/errors.js';
import { settle } from '../../../src/executors/settle.js';
import type { TaskRecord } from '../../../src/ledger/records.js';
import { CHAT_REQUEST, INPUT_REQUEST, MAX_WAIT_SECONDS, TASK_VIEW } from '../../../src/operator-wire.js';
import type { ChatRequest, InputAnswer, TaskView } from '../../../src/operator-wire.js';
import type { Core } from '../../../src/plugin.js';
import { conflictingKey } from './idempotency.js';
import { knownTask, mustBeWorkspace } from './known.js';
import { operatorMessage } from './operator-message.js';
import { route, type Answered, type Asked, type Route } from './route.js';
import { taskView, type ViewPorts } from './task-view.js';

export const OPERATOR = { id: 'operator', scope: 'operator' } as const;

interface Sent {
  taskId: string;
  /** False when the message was already sent before. */
  fresh: boolean;
}

export function chatRoutes(core: Core, views: ViewPorts): Route[] {
  const sendChat = async (body: ChatRequest, idempotencyKey?: string): Promise<Sent> => {
    const { agent, skill, contextId, taskId, message: text, parts, workspace } = body;
    mustBeWorkspace(core, workspace);
    const scope = (taskId === undefined ? undefined : core.ledger.get(taskId))?.envelope.caller.scope ?? OPERATOR.scope;
    const words = { text, parts, contextId, taskId, idempotencyKey };
    const admission = await core.blobs.tentatively(scope, (put) =>
      core.prompts.submit({
        ...(agent !== undefined && { agent }),
        ...(skill !== undefined && { skill }),
        ...(workspace !== undefined && { lookIn: workspace }),
        ...(contextId !== undefined && { contextId }),
        ...(taskId !== undefined && { taskId }),
        caller: OPERATOR,
        message: operatorMessage(core, words, 'message and parts', put),
        chain: [],
        surface: 'operator',
      }),
    );
    const fresh = admission.kind === 'admitted';
    // The message's fingerprint does not cover whom it was sent to.
    if (!fresh && agent !== undefined && knownTask(core, admission.taskId).envelope.agent !== agent)
      throw conflictingKey();
    return { taskId: admission.taskId, fresh };
  };

  const sendInput = async (body: InputAnswer): Promise<Sent> => {
    const { task, envelope } = knownTask(core, body.cid);
    checkAnswer(body, envelope.question, task.status.state);
    const { decision, parts, answer: text = decision } = body;
    const words = { text, parts, contextId: task.contextId, taskId: task.id };
    const { taskId } = await core.blobs.tentatively(envelope.caller.scope, (put) =>
      core.prompts.submit({
        taskId: task.id,
        contextId: task.contextId,
        caller: OPERATOR,
        message: operatorMessage(core, words, 'answer, parts and decision', put),
        ...(decision !== undefined && { decision }),
        chain: [],
        surface: 'operator',
      }),
    );
    return { taskId, fresh: true };
  };

  /** A failed agent is the gateway's 502; a task refused for a limit is a 429, like a refusal without a task. */
  const answered = (record: TaskRecord, status: Answered['status']): Answered => {
    const body = taskView(record, views);
    const { error } = record.envelope;
    if (record.task.status.state !== 'TASK_STATE_REJECTED' || error?.code !== 'quota') return { status, body };
    const { code, text: message, retryAfter = 1 } = error;
    return { status: 429, body: { ...body, error: { code, message, retryAfter } }, retryAfter };
  };

  /** What is told without waiting: a task just accepted counts as submitted, however far it has come by now. */
  const atOnce = ({ taskId, fresh }: Sent, status: 200 | 202): Answered => {
    const record = knownTask(core, taskId);
    const answer = answered(record, status);
    if (!fresh || isSettled(record.task.status.state)) return answer;
    return { ...answer, body: { ...(answer.body as TaskView), taskState: 'submitted' } };
  };

  const afterWaiting = async (
    sent: Sent,
    wait: { returnImmediately?: boolean; waitSeconds?: number },
    signal: AbortSignal,
  ): Promise<Answered> => {
    if (wait.returnImmediately === true) return atOnce(sent, 200);
    const seconds = Math.min(wait.waitSeconds ?? core.config.chatWaitSeconds, MAX_WAIT_SECONDS);
    const record = await settle(sent.taskId, { ledger: core.ledger, limit: { clock: core.clock, seconds }, signal });
    return answered(record, record.task.status.state === 'TASK_STATE_FAILED' ? 502 : 200);
  };

  const statuses = [404, 409, 502, 503] as const;
  return [
    route({
      method: 'post',
      path: '/chat',
      summary: 'Say something to an agent and wait for its answer.',
      body: CHAT_REQUEST,
      answer: TASK_VIEW,
      status: 200,
      refusals: statuses,
      idempotency: 'message',
      run: async ({ body, idempotencyKey, signal }: Asked<ChatRequest, undefined>) =>
        afterWaiting(await sendChat(body, idempotencyKey), body, signal),
    }),
    route({
      method: 'post',
      path: '/delegate',
      summary: 'Hand work to an agent and return at once.',
      body: CHAT_REQUEST,
      answer: TASK_VIEW,
      status: 202,
      refusals: statuses.filter((status) => status !== 502),
      idempotency: 'message',
      run: async ({ body, idempotencyKey }: Asked<ChatRequest, undefined>) =>
        atOnce(await sendChat(body, idempotencyKey), 202),
    }),
    route({
      method: 'post',
      path: '/input',
      summary: "Answer a task's question, or approve or decline.",
      body: INPUT_REQUEST,
      answer: TASK_VIEW,
      status: 200,
      refusals: statuses,
      run: async ({ body, signal }: Asked<InputAnswer, undefined>) => afterWaiting(await sendInput(body), body, signal),
    }),
  ];
}

/** The right kind of answer to the question that is open now; throws when it isn't. */
function checkAnswer(
  body: InputAnswer,
  question: TaskRecord['envelope']['question'],
  state: TaskRecord['task']['status']['state'],
): void {
  if (!isWaiting(state) || question === undefined) {
    throw new AppError('unsupported-operation', 'The task waits for no answer.', { taskId: body.cid });
  }
  if (body.requestId !== undefined && body.requestId !== question.requestId) {
    throw new AppError('unsupported-operation', 'The task has another open question by now.', { taskId: body.cid });
  }
  if ((question.from === 'operator') === (body.decision !== undefined)) return;
  throw new AppError(
    'invalid-params',
    question.from === 'operator'
      ? 'The task waits for a decision: approve or decline.'
      : 'The task waits for an answer, not for a decision.',
  );
}
