// An interactive conversation: lines in, answers out; questions and approvals are answered in place.
import { errorText } from '../errors.js';
import type { ChatRequest, TaskView } from '../operator-wire.js';
import { EXIT, type ExitCode, exitCodeOf } from './exit-codes.js';
import type { Io } from './io.js';
import type { OperatorClient } from './operator-client.js';
import { taskExit, taskLines } from './render.js';

/**
 * Runs until the input ends, somebody types /quit, or nobody reads the answers any more. Refusals are shown and the
 * conversation goes on. Whoever types has seen what went wrong; for a program the first failure is the exit code.
 */
export async function converse(
  operator: OperatorClient,
  io: Io,
  opening: Pick<ChatRequest, 'agent' | 'contextId' | 'skill' | 'workspace'>,
): Promise<ExitCode> {
  let known = opening;
  let open: TaskView | undefined;
  let first: ExitCode = EXIT.ok;
  const failed = (code: ExitCode): void => {
    if (first === EXIT.ok && !io.isTyped) first = code;
  };
  while (!io.isClosed()) {
    const line = await io.ask(open?.taskState === 'auth-required' ? 'approve? [y/n] ' : '> ');
    if (line === undefined || line.trim() === '/quit') break;
    if (line.trim() === '') continue;
    try {
      let view = await say(operator, line, known, open);
      while (view.pending) view = await operator.task(view.cid, 30);
      known = { ...known, agent: view.agent, contextId: view.contextId };
      open = view.question === undefined ? undefined : view;
      for (const text of open === undefined ? taskLines(view) : questionLines(view)) io.out(text);
      failed(taskExit(view));
    } catch (error) {
      const code = exitCodeOf(error);
      // Without a server or a key no further line can do better.
      if (code === EXIT.unreachable || code === EXIT.unauthorised) throw error;
      io.err(errorText(error));
      failed(code);
      open = undefined;
    }
  }
  return first;
}

function say(
  operator: OperatorClient,
  line: string,
  known: Pick<ChatRequest, 'agent' | 'contextId' | 'skill' | 'workspace'>,
  open: TaskView | undefined,
): Promise<TaskView> {
  if (open === undefined) return operator.chat({ ...known, message: line });
  const { cid, requestId } = open;
  if (open.taskState === 'input-required') return operator.input({ cid, requestId, answer: line });
  return operator.input({ cid, requestId, decision: /^y(es)?$/i.test(line.trim()) ? 'approve' : 'decline' });
}

const questionLines = ({ response, question }: TaskView): string[] => [
  ...(response === '' || response === question ? [] : [response]),
  question ?? '',
];
