// What an admitted prompt becomes: the ledger's new task, and the question to the operator. Pure.
import type { PromptRequest } from '../../src/bus/topics.js';
import { repliesDirectly } from '../../src/executors/contract.js';
import type { PromptPort } from '../../src/executors/prompt-port.js';
import type { NewTask } from '../../src/ledger/ledger-port.js';
import type { Question } from '../../src/ledger/records.js';
import { targetOf, type Candidate } from './guard.js';

/** The task that a candidate becomes, apart from how it begins. */
export function newTask(candidate: Candidate, prompts: Pick<PromptPort, 'pushConfigOf'>): Omit<NewTask, 'start'> {
  const { request } = candidate;
  const { agent, executor } = targetOf(candidate);
  const { cid, requestId, contextId, caller, message, surface, chain, subject, synthetic, traceparent } = request;
  // Nobody is told by webhook of a task that nobody can see.
  const direct = repliesDirectly(agent, message);
  const pushConfig = direct ? undefined : prompts.pushConfigOf(requestId);
  const { lookIn, replyTo } = request;
  const skill = request.skill ?? candidate.skill;
  return {
    taskId: cid,
    requestId,
    contextId,
    caller,
    message,
    surface,
    chain,
    agent: agent.name,
    executor: executor.name,
    ...(executor.keepsSessions && { session: true }),
    ...(direct && { direct }),
    ...(skill !== undefined && { skill }),
    ...(subject !== undefined && { subject }),
    ...(synthetic && { synthetic }),
    ...(traceparent !== undefined && { traceparent }),
    ...(pushConfig && { pushConfig }),
    ...(lookIn !== undefined && { lookIn }),
    ...(replyTo && { replyTo }),
    ...deadline(request),
  };
}

export const deadline = ({ deadlineAt }: PromptRequest): { deadlineAt?: number } =>
  deadlineAt === undefined ? {} : { deadlineAt };

/** What the operator is asked before such a task begins; the caller reads it, too. */
export function approvalQuestion(requestId: string, candidate: Candidate): Question {
  const { request, skill: chosen } = candidate;
  const { name } = targetOf(candidate).agent;
  const skill = request.skill ?? chosen;
  const what = skill === undefined ? 'This' : `The skill ${skill}`;
  return { requestId, from: 'operator', text: `${what} of ${name} needs the operator's approval.` };
}
